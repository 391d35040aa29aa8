def to_dlpack(tensor):
    return tensor.__dlpack__()

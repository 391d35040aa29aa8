from . import functional


class Module:
    def __call__(self, *arguments, **keywords):
        return self.forward(*arguments, **keywords)


class Parameter:
    def __new__(cls, tensor, requires_grad=True):
        return tensor

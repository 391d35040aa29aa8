import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


@cute.kernel
def kernel(parameters):
    scheduler = utils.StaticPersistentTileScheduler.create(parameters)
    if cutlass.const_expr(getattr(scheduler, "gather", None) is not None):  # expect: D1 branch decided=compile-time taken=?
        cute.arch.sync_threads()

package io.imexagent.fabric.cuda;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** libcuda cannot be loaded, or a call returned a result other than 0. */
public abstract sealed class CudaException extends Exception {
    private CudaException(String message) {
        super(message);
    }

    /** No libcuda can be loaded; the reason is a clause. */
    public static final class CudaNotLoaded extends CudaException {
        private CudaNotLoaded(String message) {
            super(message);
        }

        /** The failure to find a library in these folders and the linker's cache. */
        public static CudaNotLoaded notFound(List<Path> searched) {
            return new CudaNotLoaded("no libcuda.so.1 here, searched "
                    + searched.stream().map(Path::toString).collect(Collectors.joining(", "))
                    + "; on a host install the driver, in a container let the NVIDIA runtime inject it");
        }

        /** The failure to load any library, with the dynamic linker's message for each. */
        public static CudaNotLoaded notLoadable(List<String> reasons) {
            return new CudaNotLoaded("libcuda.so.1 cannot be loaded: " + String.join("; ", reasons));
        }
    }

    /** A call returned a result other than 0. */
    public static final class CudaCallFailed extends CudaException {
        private final CudaCall call;
        private final CudaResult result;

        public CudaCallFailed(CudaCall call, CudaResult result) {
            super(call.symbol() + " failed: " + result
                    + result.remedy().map(text -> "; " + text).orElse(""));
            this.call = call;
            this.result = result;
        }

        public CudaCall call() {
            return call;
        }

        public CudaResult result() {
            return result;
        }
    }
}

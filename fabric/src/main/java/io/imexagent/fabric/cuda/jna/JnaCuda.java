package io.imexagent.fabric.cuda.jna;

import io.imexagent.fabric.cuda.Cuda;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.CudaException;
import io.imexagent.fabric.cuda.CudaSession;
import io.imexagent.nvml.jna.LibrarySearch;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Calls libcuda of a driver through JNA. */
public final class JnaCuda implements Cuda {

    private static final String LIBRARY = "libcuda.so.1";

    private final LibrarySearch search;
    private final Consumer<CudaCall> announce;

    /** Uses libcuda of the driver below this root; each call is announced before it begins. */
    public JnaCuda(Path driverRoot, Consumer<CudaCall> announce) {
        this.search = LibrarySearch.of(driverRoot, List.of(), LIBRARY);
        this.announce = announce;
    }

    @Override
    public CudaSession open() throws CudaException {
        CudaFunctions cuda = CudaFunctions.load(search, announce);
        cuda.call(CudaCall.INIT, 0);
        return new JnaCudaSession(cuda);
    }
}

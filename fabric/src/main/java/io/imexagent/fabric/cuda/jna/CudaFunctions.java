package io.imexagent.fabric.cuda.jna;

import com.sun.jna.Function;
import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.ptr.PointerByReference;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.CudaException.CudaCallFailed;
import io.imexagent.fabric.cuda.CudaException.CudaNotLoaded;
import io.imexagent.fabric.cuda.CudaResult;
import io.imexagent.nvml.jna.LibrarySearch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The functions of a loaded {@code libcuda.so.1}; results other than 0 become exceptions. Numbers are passed by
 * reference as byte arrays, which JNA copies. Each call is announced before it begins, so that the parent process knows
 * which one hangs.
 */
final class CudaFunctions {

    /** A flag of {@code dlfcn.h}: symbols are resolved at their first call and are not visible to other libraries. */
    private static final int RTLD_LAZY = 1;

    private final NativeLibrary library;
    private final Consumer<CudaCall> announce;

    private CudaFunctions(NativeLibrary library, Consumer<CudaCall> announce) {
        this.library = library;
        this.announce = announce;
    }

    /** Loads the first loadable library of the search. */
    static CudaFunctions load(LibrarySearch search, Consumer<CudaCall> announce) throws CudaNotLoaded {
        List<Path> places = search.places();
        if (places.isEmpty()) {
            throw CudaNotLoaded.notFound(search.searched());
        }
        List<String> reasons = new ArrayList<>();
        for (Path place : places) {
            try {
                var library = NativeLibrary.getInstance(place.toString(), Map.of(Library.OPTION_OPEN_FLAGS, RTLD_LAZY));
                return new CudaFunctions(library, announce);
            } catch (LinkageError failure) {
                // A host may also have libraries of another architecture, so the next place is tried.
                reasons.add(place + ": " + failure.getMessage());
            }
        }
        throw CudaNotLoaded.notLoadable(reasons);
    }

    /** Calls a function; the arguments are those of its C signature. */
    void call(CudaCall call, Object... arguments) throws CudaCallFailed {
        announce.accept(call);
        int code = function(call).map(function -> function.invokeInt(arguments)).orElse(CudaResult.NOT_FOUND);
        if (code != 0) {
            throw new CudaCallFailed(call, result(code));
        }
    }

    /**
     * Cleans up after a failed call and returns its failure; a failure of the cleanup is only added to it as
     * suppressed.
     */
    CudaCallFailed after(CudaCallFailed failure, CudaCall undo, Object... arguments) {
        try {
            call(undo, arguments);
        } catch (CudaCallFailed another) {
            failure.addSuppressed(another);
        }
        return failure;
    }

    /** Calls a function that writes an int to its first argument, and returns the int. */
    int intOf(CudaCall call, Object... rest) throws CudaCallFailed {
        return out(call, Integer.BYTES, rest).getInt();
    }

    /** Calls a function that writes eight bytes to its first argument, and returns them. */
    long longOf(CudaCall call, Object... rest) throws CudaCallFailed {
        return out(call, Long.BYTES, rest).getLong();
    }

    private ByteBuffer out(CudaCall call, int bytes, Object... rest) throws CudaCallFailed {
        byte[] filled = new byte[bytes];
        Object[] arguments = new Object[rest.length + 1];
        arguments[0] = filled;
        System.arraycopy(rest, 0, arguments, 1, rest.length);
        call(call, arguments);
        return ByteBuffer.wrap(filled).order(ByteOrder.nativeOrder());
    }

    private CudaResult result(int code) {
        var text = new PointerByReference();
        return function(CudaCall.ERROR_NAME)
                .filter(function -> function.invokeInt(new Object[] {code, text}) == 0)
                .flatMap(_ -> Optional.ofNullable(text.getValue()))
                .map(name -> new CudaResult(code, name.getString(0)))
                .orElseGet(() -> new CudaResult(code, "CUresult " + code));
    }

    private Optional<Function> function(CudaCall call) {
        try {
            return Optional.of(library.getFunction(call.symbol()));
        } catch (UnsatisfiedLinkError missing) {
            return Optional.empty();
        }
    }
}

package io.imexagent.nvml.jna;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The dynamic linker of this process ({@code dlopen(3)}). JNA's own {@code NativeLibrary.getInstance} keeps one instance per
 * name, so that a second session would lose its library when the first closes and an updated driver would not be seen; it
 * falls back to files of a similar name, and opens with {@code RTLD_GLOBAL}.
 */
final class DynamicLinker {
    private static final int RTLD_LAZY = 1;
    private static final int RTLD_LOCAL = 0;
    private static final String UTF_8 = "UTF-8";

    private final Function dlopen;
    private final Function dlsym;
    private final Function dlclose;
    private final Function dlerror;

    private DynamicLinker(NativeLibrary process) {
        dlopen = process.getFunction("dlopen");
        dlsym = process.getFunction("dlsym");
        dlclose = process.getFunction("dlclose");
        dlerror = process.getFunction("dlerror");
        // The JVM looks a native method up by dlsym when it is first called, which frees the text of dlerror(3) of this
        // thread: what reads a text has to be looked up before there is one.
        process.getFunction("strerror").invokePointer(new Object[] {0}).getString(0, UTF_8);
    }

    /** Returns the linker of this process; throws {@link LinkageError} when JNA's own native part cannot be loaded. */
    static DynamicLinker ofThisProcess() {
        return new DynamicLinker(NativeLibrary.getProcess());
    }

    /** Loads a library with private symbols; throws {@link UnsatisfiedLinkError} with the linker's words. */
    Pointer open(Path library) {
        Pointer handle = dlopen.invokePointer(new Object[] {cString(library.toString()), RTLD_LAZY | RTLD_LOCAL});
        if (handle == null) {
            Pointer words = dlerror.invokePointer(new Object[0]);
            throw new UnsatisfiedLinkError(words == null ? library + ": dlopen failed" : words.getString(0, UTF_8));
        }
        return handle;
    }

    /** Returns a function of a loaded library; empty when the library does not have it. */
    Optional<Function> find(Pointer library, String symbol) {
        Pointer address = dlsym.invokePointer(new Object[] {library, cString(symbol)});
        return address == null ? Optional.empty() : Optional.of(Function.getFunction(address));
    }

    /** Drops a library; it is unloaded when it was opened no other time. Its functions may not be called any more. */
    void close(Pointer library) {
        dlclose.invokeInt(new Object[] {library});
    }

    private static byte[] cString(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }
}

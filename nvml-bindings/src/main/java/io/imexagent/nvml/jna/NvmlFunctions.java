package io.imexagent.nvml.jna;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.BadAnswer;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlReturn;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The functions of a loaded {@code libnvidia-ml.so.1}; results become exceptions, bytes become values. A symbol is
 * resolved when it is first called; a missing symbol makes that call return {@code FUNCTION_NOT_FOUND}. Out-parameters
 * are byte arrays, which JNA copies in and out, so that a call that hangs pins nothing of the Java heap. Sessions of
 * several threads share one instance.
 */
final class NvmlFunctions {
    private static final int RTLD_LAZY = 1;
    private static final int RTLD_LOCAL = 0;
    private static final String UTF_8 = "UTF-8";

    private final NativeLibrary process;
    private final Pointer library;
    private final Map<NvmlCall, Optional<Function>> resolved = new ConcurrentHashMap<>();

    private NvmlFunctions(NativeLibrary process, Pointer library) {
        this.process = process;
        this.library = library;
    }

    /**
     * Loads a library with private symbols by the dynamic linker of this process ({@code dlopen(3)}); throws {@link
     * UnsatisfiedLinkError} with the linker's message. JNA's own {@code NativeLibrary.getInstance} is not used: it
     * keeps one instance per name, so that an updated driver would not be loaded; it falls back to files of a similar
     * name, and opens with {@code RTLD_GLOBAL}.
     */
    static NvmlFunctions open(NativeLibrary process, Path library) {
        Function dlopen = process.getFunction("dlopen");
        Function dlerror = process.getFunction("dlerror");
        // The JVM looks up a native method by dlsym at its first call, which frees the text of dlerror(3) of this
        // thread: the functions that read a text must be looked up before there is one.
        process.getFunction("strerror").invokePointer(new Object[] {0}).getString(0, UTF_8);
        Pointer handle = dlopen.invokePointer(new Object[] {cString(library.toString()), RTLD_LAZY | RTLD_LOCAL});
        if (handle == null) {
            Pointer words = dlerror.invokePointer(new Object[0]);
            throw new UnsatisfiedLinkError(words == null ? library + ": dlopen failed" : words.getString(0, UTF_8));
        }
        return new NvmlFunctions(process, handle);
    }

    /** Calls a function; the arguments are those of its C signature. */
    void call(NvmlCall call, Object... arguments) throws NvmlException {
        check(call, result(call, arguments));
    }

    /** Calls a function and returns its {@code nvmlReturn_t}. */
    int result(NvmlCall call, Object... arguments) {
        return function(call).map(function -> function.invokeInt(arguments)).orElse((int)
                NvmlReturn.FUNCTION_NOT_FOUND.number());
    }

    /** Calls a function that fills a text; the arguments are {@code before}, the text's bytes and their number. */
    String text(NvmlCall call, int bytes, Object... before) throws NvmlException {
        byte[] text = new byte[bytes];
        Object[] arguments = Arrays.copyOf(before, before.length + 2);
        arguments[before.length] = text;
        arguments[before.length + 1] = bytes;
        call(call, arguments);
        String answer = Native.toString(text, UTF_8);
        if (answer.isBlank()) {
            throw new BadAnswer(call, "an empty text");
        }
        return answer;
    }

    /** Calls a function that returns a number in its only argument. */
    int natural(NvmlCall call) throws NvmlException {
        byte[] bytes = new byte[Integer.BYTES];
        call(call, (Object) bytes);
        int number = StructLayout.view(bytes).getInt();
        if (number < 0) {
            throw new BadAnswer(call, "the number " + Integer.toUnsignedString(number));
        }
        return number;
    }

    /** Returns NVML's handle of the GPU with an index. */
    Pointer device(int index) throws NvmlException {
        byte[] handle = new byte[Long.BYTES];
        call(NvmlCall.DEVICE_HANDLE, index, handle);
        return pointer(handle);
    }

    Pointer createEventSet() throws NvmlException {
        byte[] handle = new byte[Long.BYTES];
        call(NvmlCall.EVENT_SET_CREATE, (Object) handle);
        return pointer(handle);
    }

    void check(NvmlCall call, int result) throws NvmlException {
        if (!is(result, NvmlReturn.SUCCESS)) {
            throw new CallFailed(call, Numbered.of(result, NvmlReturn.values()), errorString(result));
        }
    }

    /** Returns true for success, and false for a result by which GPU or driver lack the function. */
    boolean supported(NvmlCall call, int result) throws NvmlException {
        if (is(result, NvmlReturn.NOT_SUPPORTED) || is(result, NvmlReturn.FUNCTION_NOT_FOUND)) {
            return false;
        }
        check(call, result);
        return true;
    }

    static boolean is(int result, NvmlReturn name) {
        return result == name.number();
    }

    /** Closes the library, which is unloaded if no other handle is open; no function may be called any more. */
    void unload() {
        resolved.clear();
        process.getFunction("dlclose").invokeInt(new Object[] {library});
    }

    /** Returns the library's text of a result; empty if it has none. */
    Optional<String> errorString(int result) {
        return function(NvmlCall.ERROR_STRING)
                .map(function -> function.invokePointer(new Object[] {result}))
                .map(text -> text.getString(0, UTF_8));
    }

    private Optional<Function> function(NvmlCall call) {
        return resolved.computeIfAbsent(call, missing -> {
            Pointer address =
                    process.getFunction("dlsym").invokePointer(new Object[] {library, cString(missing.symbol())});
            return address == null ? Optional.empty() : Optional.of(Function.getFunction(address));
        });
    }

    private static byte[] cString(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }

    private static Pointer pointer(byte[] bytes) {
        return new Pointer(StructLayout.view(bytes).getLong());
    }
}

package io.imexagent.host;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.nio.charset.StandardCharsets;

/**
 * The calls through JNA, in the native image, which jnr-posix's class made at run time keeps out (decision 0107). Functions
 * are called by name: methods that JNA binds have code made at run time.
 */
final class JnaCalls implements PosixCalls {

    private final NativeLibrary library = NativeLibrary.getProcess();

    @Override
    public int open(String path, int flags, int mode) {
        // As bytes: JNA would write a text in the locale's encoding.
        return call("open", (path + '\0').getBytes(StandardCharsets.UTF_8), flags, mode);
    }

    @Override
    public int flock(int descriptor, int operation) {
        return call("flock", descriptor, operation);
    }

    @Override
    public int close(int descriptor) {
        return call("close", descriptor);
    }

    @Override
    public int kill(int process, int signal) {
        return call("kill", process, signal);
    }

    @Override
    public int isatty(int descriptor) {
        return call("isatty", descriptor);
    }

    @Override
    public int ioctl(int descriptor, long request, byte[] filled) {
        return call("ioctl", descriptor, request, filled);
    }

    @Override
    public int errno() {
        return Native.getLastError();
    }

    @Override
    public String strerror(int errno) {
        return library.getFunction("strerror").invokeString(new Object[] {errno}, false);
    }

    private int call(String function, Object... arguments) {
        return library.getFunction(function).invokeInt(arguments);
    }
}

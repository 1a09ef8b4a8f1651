package io.imexagent.host;

import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.Out;
import jnr.posix.POSIX;
import jnr.posix.POSIXFactory;

/** The calls through jnr-posix, on HotSpot. Making this loads the library: a tenth of a second of one core. */
final class JnrCalls implements PosixCalls {

    /** A function of the C library that jnr-posix lacks, bound by jnr-ffi. */
    public interface Terminal {

        int ioctl(int descriptor, long request, @Out byte[] filled);
    }

    private final POSIX posix = POSIXFactory.getNativePOSIX();

    @Override
    public int open(String path, int flags, int mode) {
        return posix.open(path, flags, mode);
    }

    @Override
    public int flock(int descriptor, int operation) {
        return posix.flock(descriptor, operation);
    }

    @Override
    public int close(int descriptor) {
        return posix.close(descriptor);
    }

    @Override
    public int kill(int process, int signal) {
        return posix.kill(process, signal);
    }

    @Override
    public int isatty(int descriptor) {
        return posix.isatty(descriptor);
    }

    /** Binds at each use: that is one of a few commands, once, and no service. */
    @Override
    public int ioctl(int descriptor, long request, byte[] filled) {
        return LibraryLoader.create(Terminal.class).load("c").ioctl(descriptor, request, filled);
    }

    @Override
    public int errno() {
        return posix.errno();
    }

    @Override
    public String strerror(int errno) {
        return posix.strerror(errno);
    }
}

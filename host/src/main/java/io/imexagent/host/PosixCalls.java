package io.imexagent.host;

/**
 * The C library's calls that the agent makes, as their man pages have them: each returns less than zero on failure and
 * leaves why in {@link #errno()}. Safe for several threads, each of which has its own errno.
 */
interface PosixCalls {

    int open(String path, int flags, int mode);

    int flock(int descriptor, int operation);

    int close(int descriptor);

    int kill(int process, int signal);

    /** 1 for a terminal, otherwise 0. */
    int isatty(int descriptor);

    /** Of requests that fill bytes. */
    int ioctl(int descriptor, long request, byte[] filled);

    /** Why this thread's last call failed; other code of the thread must not run between the call and this. */
    int errno();

    /** The C library's message for an errno. */
    String strerror(int errno);
}

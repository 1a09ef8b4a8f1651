package io.imexagent.nvml;

/**
 * An initialised NVML, from {@link Nvml#open()} to {@link #close()}.
 *
 * <p>A session with its devices and event sets is owned by one thread. Any call may block for ever if the driver hangs,
 * and cannot be cancelled: another thread watches the deadline, and a session whose owner hangs is abandoned, never
 * closed. A call on a closed session is a bug and throws {@link IllegalStateException}.
 */
public interface NvmlSession extends AutoCloseable {
    /** Returns the version of the loaded kernel driver, such as {@code 580.95.05}. */
    String driverVersion() throws NvmlException;

    /** Returns the version of the NVML library, such as {@code 13.580.95.05}. */
    String nvmlVersion() throws NvmlException;

    /** Returns the number of GPUs that are visible to the caller, 0 or more. */
    int deviceCount() throws NvmlException;

    /** Returns the GPU with an index below {@link #deviceCount()}; for others NVML answers {@code INVALID_ARGUMENT}. */
    NvmlDevice device(int index) throws NvmlException;

    /** Returns this library's text of a result with its number: {@code Insufficient Resources (23)}. */
    String words(Numbered<NvmlReturn> result);

    /** Returns a new event set without registrations; the caller closes it before the session. */
    NvmlEventSet createEventSet() throws NvmlException;

    /**
     * Whether the driver's library was replaced since it was loaded. The new library is loaded by the first session
     * that is opened while no other session is open.
     */
    boolean outdated();

    /** Shuts NVML down, which releases the driver; a second call does nothing. */
    @Override
    void close() throws NvmlException;
}

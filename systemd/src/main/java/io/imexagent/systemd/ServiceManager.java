package io.imexagent.systemd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The service manager that started this process, as sd_notify(3) describes it. Without a manager (no {@code
 * NOTIFY_SOCKET}), or if it accepts no message, nothing is done: a service must run without it.
 */
public final class ServiceManager {

    /** The variable that names the manager's socket. */
    public static final String SOCKET_VARIABLE = "NOTIFY_SOCKET";

    private static final int STATUS_LENGTH = 512;

    private final Optional<NotifySocket> socket;
    private final Optional<String> fault;

    private ServiceManager(Optional<NotifySocket> socket, Optional<String> fault) {
        this.socket = socket;
        this.fault = fault;
    }

    /** The manager that the environment names; it is not contacted before the first message. */
    public static ServiceManager of(Map<String, String> environment) {
        Optional<String> address =
                Optional.ofNullable(environment.get(SOCKET_VARIABLE)).filter(text -> !text.isEmpty());
        try {
            return new ServiceManager(address.map(NotifySocket::parse), Optional.empty());
        } catch (IllegalArgumentException unusable) {
            return new ServiceManager(Optional.empty(), Optional.ofNullable(unusable.getMessage()));
        }
    }

    /** Why the service manager that the environment names cannot be notified; empty if it can. */
    public Optional<String> fault() {
        return fault;
    }

    /** Whether there is a manager to notify. */
    public boolean present() {
        return socket.isPresent();
    }

    /** Reports that the service is ready, after its start or after a reload. */
    public void ready(String status) {
        send(List.of("READY=1", status(status)));
    }

    /** Reports that the service reloads its configuration, until {@link #ready}. */
    public void reloading(String status) {
        if (present()) {
            // systemd 253 and later expect both fields in one message, so that an old READY is not mistaken for the new
            // one.
            send(List.of("RELOADING=1", "MONOTONIC_USEC=" + NotifySocket.monotonicMicros(), status(status)));
        }
    }

    public void stopping(String status) {
        send(List.of("STOPPING=1", status(status)));
    }

    /** Sets the text that {@code systemctl status} shows. */
    public void report(String status) {
        send(List.of(status(status)));
    }

    public void alive() {
        send(List.of("WATCHDOG=1"));
    }

    /** Requests more time for the start: at least this long from now. */
    public void extendStart(Duration atLeast) {
        send(List.of("EXTEND_TIMEOUT_USEC=" + atLeast.toNanos() / 1000));
    }

    /** The status as one line, cut to the width of a terminal. */
    private static String status(String text) {
        String line = text.codePoints()
                .map(character -> Character.isISOControl(character) ? ' ' : character)
                .limit(STATUS_LENGTH)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return "STATUS=" + line;
    }

    private void send(List<String> assignments) {
        // A manager that is missing or restarting is not a fault of the service, and the service cannot repair it.
        socket.ifPresent(manager -> manager.send(String.join("\n", assignments).getBytes(UTF_8)));
    }
}

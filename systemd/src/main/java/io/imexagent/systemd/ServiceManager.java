package io.imexagent.systemd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The service manager that started this process, as sd_notify(3) describes it. Where there is none (no {@code
 * NOTIFY_SOCKET}), or where it does not take a message, nothing happens: a service must run without it.
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

    /** The manager that the environment of this process names; it is not asked before the first message. */
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

    /** Whether there is a manager to tell anything. */
    public boolean present() {
        return socket.isPresent();
    }

    /** The service is ready, after its start or after a reload. */
    public void ready(String status) {
        send(List.of("READY=1", status(status)));
    }

    /** The service reads its configuration again; {@link #ready} ends that. */
    public void reloading(String status) {
        if (present()) {
            // systemd 253 and later want both in one message, so that an old READY cannot be taken for the new one.
            send(List.of("RELOADING=1", "MONOTONIC_USEC=" + NotifySocket.monotonicMicros(), status(status)));
        }
    }

    public void stopping(String status) {
        send(List.of("STOPPING=1", status(status)));
    }

    /** What {@code systemctl status} shows. */
    public void report(String status) {
        send(List.of(status(status)));
    }

    public void alive() {
        send(List.of("WATCHDOG=1"));
    }

    /** The start needs more time: at least this long from now. */
    public void extendStart(Duration atLeast) {
        send(List.of("EXTEND_TIMEOUT_USEC=" + atLeast.toNanos() / 1000));
    }

    /** A status is one line; what is too long for a terminal is cut. */
    private static String status(String text) {
        String line = text.codePoints()
                .map(character -> Character.isISOControl(character) ? ' ' : character)
                .limit(STATUS_LENGTH)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return "STATUS=" + line;
    }

    private void send(List<String> assignments) {
        // A manager that is gone or restarts is no fault of the service, and the service could do nothing about it.
        socket.ifPresent(manager -> manager.send(String.join("\n", assignments).getBytes(UTF_8)));
    }
}

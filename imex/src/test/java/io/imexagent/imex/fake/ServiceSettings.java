package io.imexagent.imex.fake;

import io.imexagent.imex.gate.ImexServiceSettings;
import java.time.Duration;
import java.util.List;

/** Settings of {@code imex.service} for tests. */
public final class ServiceSettings {

    private ServiceSettings() {}

    /** The defaults. */
    public static ImexServiceSettings service() {
        return service(true, List.of());
    }

    /** The same with a gate that is on or off, and with vendors. */
    public static ImexServiceSettings service(boolean gate, List<String> vendors) {
        return new ImexServiceSettings(
                true,
                "nvidia-imex",
                vendors,
                gate,
                "\\b(GB200|GB300)\\b",
                List.of("2941", "31C2", "3041", "307F"),
                true,
                Duration.ofMinutes(30));
    }
}

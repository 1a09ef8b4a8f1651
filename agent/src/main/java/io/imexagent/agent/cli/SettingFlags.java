package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigKeys;
import java.util.ArrayList;
import java.util.List;

/** The flags that set configuration values. */
final class SettingFlags {

    private SettingFlags() {}

    /** All of them, in the order in which the later beats the earlier. */
    static List<String> inOrder() {
        List<String> flags = new ArrayList<>();
        ConfigKeys.ALL.forEach(key -> key.flag().ifPresent(flags::add));
        flags.add(ConfigKeys.FEATURE_GATES_FLAG);
        flags.add(ConfigKeys.SET_FLAG);
        return flags;
    }
}

package io.imexagent.agent.config;

/** The names of the environment variables that set configuration keys: {@code http.tls.key} is IMEX_AGENT_HTTP_TLS_KEY. */
final class EnvironmentNames {

    /** What all of them begin with. */
    static final String PREFIX = "IMEX_AGENT_";

    /** Names the configuration file. */
    static final String CONFIG_FILE = PREFIX + "CONFIG";

    /** Sets feature gates in the public driver's form, {@code A=true,B=false}. */
    static final String FEATURE_GATES = PREFIX + "FEATURE_GATES";

    private EnvironmentNames() {}

    /** The variable of the key: upper case, with an underscore for each dot and before each word of a camel-case name. */
    static String of(String path) {
        return PREFIX + upperSnake(path);
    }

    /** The path in upper case, its words joined by underscores. */
    static String upperSnake(String path) {
        var name = new StringBuilder();
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (beginsWord(path, i)) {
                name.append('_');
            }
            name.append(c == '.' ? '_' : Character.toUpperCase(c));
        }
        return name.toString();
    }

    /** Whether a word of a camel-case name begins here; {@code IMEXDaemonsWithDNSNames} has five of them. */
    private static boolean beginsWord(String path, int i) {
        if (i == 0 || !isUpper(path, i) || path.charAt(i - 1) == '.') {
            return false;
        }
        boolean endOfAcronym = i + 1 < path.length() && Character.isLowerCase(path.charAt(i + 1));
        return !isUpper(path, i - 1) || endOfAcronym;
    }

    private static boolean isUpper(String path, int i) {
        return Character.isUpperCase(path.charAt(i));
    }
}

package io.imexagent.rdma.rails;

import io.imexagent.rdma.rails.RailConfig.EnvironmentMode;
import io.imexagent.rdma.watch.RdmaView;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The effect of a variable that both a claim and an image or a pod set.
 *
 * @param defaultMode how claims set variables whose configuration does not say it
 * @param reason why, as a clause
 * @param always what variables of a CDI spec do to those of image and pod, as a verb phrase
 */
public record PodVariables(EnvironmentMode defaultMode, String reason, String always) {

    private static final String REPLACE = "replace what image and pod set";

    private static final Pattern CRI_O = Pattern.compile("cri-o://v?1\\.([0-9]{1,4})\\.([0-9]{1,4})(?:[^0-9].*)?");

    /**
     * The effect on this node, by its container runtime and by SELinux, which may forbid containers to read a file of
     * the host.
     */
    public static PodVariables of(RdmaView view) {
        Optional<String> runtime = view.nodeAddresses().containerRuntime();
        String always = runtime.map(PodVariables::always).orElse("may " + REPLACE);
        if (runtime.isEmpty()) {
            return new PodVariables(EnvironmentMode.ALWAYS, "the cluster has not said the container runtime", always);
        }
        if (!runtime.get().matches("(containerd|cri-o)://.*")) {
            return new PodVariables(
                    EnvironmentMode.ALWAYS,
                    "it is not known whether " + runtime.get() + " mounts files of CDI specs",
                    always);
        }
        return view.inventory().seLinux()
                ? new PodVariables(
                        EnvironmentMode.ALWAYS, "SELinux may keep containers from reading variables in a file", always)
                : new PodVariables(
                        EnvironmentMode.UNLESS_SET,
                        runtime.get() + " mounts a file in which NCCL 2.23 or later finds them",
                        always);
    }

    /** CRI-O injected a CDI spec before image and pod up to 1.34.0, 1.33.3, 1.32.7 and 1.31.11. */
    private static String always(String runtime) {
        if (runtime.startsWith("containerd://")) {
            return REPLACE;
        }
        Matcher criO = CRI_O.matcher(runtime);
        if (!criO.matches()) {
            return "may " + REPLACE;
        }
        int patch = Integer.parseInt(criO.group(2));
        boolean replaces = switch (Integer.parseInt(criO.group(1))) {
            case 33 -> patch >= 3;
            case 32 -> patch >= 7;
            case 31 -> patch >= 11;
            default -> Integer.parseInt(criO.group(1)) >= 34;
        };
        return replaces ? REPLACE : "leave what image and pod set";
    }

    /** The effect as a sentence for operators. */
    public String text() {
        return switch (defaultMode) {
            case UNLESS_SET -> "unless-set, what image and pod set wins: " + reason;
            case ALWAYS -> "always, variables of a claim " + always + ": " + reason;
        };
    }
}

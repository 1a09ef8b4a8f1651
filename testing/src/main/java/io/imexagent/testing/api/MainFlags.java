package io.imexagent.testing.api;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The flags of {@link ApiDoubleMain}.
 *
 * @param options how the double starts
 * @param kubeconfig where an administrator's kubeconfig is written
 * @param nodeKubeconfigs where the kubeconfigs of kubelets are written, by node
 * @param certificateAuthority where the authority's certificate is written
 * @param load files of objects that are there from the start
 * @param plainHttp whether there is no TLS
 * @param detached whether a closed standard input is ignored
 */
record MainFlags(
        ApiDoubleOptions options,
        Optional<Path> kubeconfig,
        Map<String, Path> nodeKubeconfigs,
        Optional<Path> certificateAuthority,
        List<Path> load,
        boolean plainHttp,
        boolean detached) {

    static final String USAGE = """
            flags:
              --port N                     listen on this loopback port (default: a free one)
              --plain-http                 no TLS
              --kubeconfig FILE            write a kubeconfig for an administrator
              --node-kubeconfig NODE=FILE  write a kubeconfig for the kubelet of a node; may be repeated
              --ca FILE                    write the certificate of the authority
              --load FILE                  load objects from YAML or JSON; may be repeated
              --without-compute-domain-role   nodes may not read ComputeDomains
              --older                      serve resource.k8s.io without v1
              --detached                   go on when standard input closes""";

    static MainFlags parse(List<String> arguments) {
        ApiDoubleOptions options = new ApiDoubleOptions();
        Map<String, Path> files = new HashMap<>();
        Map<String, Path> nodes = new HashMap<>();
        List<Path> load = new ArrayList<>();
        boolean plainHttp = false;
        boolean detached = false;
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            String flag = rest.next();
            switch (flag) {
                case "--port" -> options.port(port(value(flag, rest)));
                case "--plain-http" -> {
                    options.plainHttp();
                    plainHttp = true;
                }
                case "--older" -> options.older();
                case "--without-compute-domain-role" -> options.withoutComputeDomainRole();
                case "--kubeconfig", "--ca" -> files.put(flag, Path.of(value(flag, rest)));
                case "--node-kubeconfig" -> putNode(nodes, value(flag, rest));
                case "--load" -> load.add(Path.of(value(flag, rest)));
                case "--detached" -> detached = true;
                default -> throw new IllegalArgumentException("unknown flag " + flag);
            }
        }
        return new MainFlags(
                options,
                Optional.ofNullable(files.get("--kubeconfig")),
                Map.copyOf(nodes),
                Optional.ofNullable(files.get("--ca")),
                List.copyOf(load),
                plainHttp,
                detached);
    }

    private static String value(String flag, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(flag + " needs a value");
        }
        return rest.next();
    }

    private static int port(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--port needs a number, not " + text, e);
        }
    }

    private static void putNode(Map<String, Path> nodes, String text) {
        int equals = text.indexOf('=');
        if (equals <= 0) {
            throw new IllegalArgumentException("--node-kubeconfig needs NODE=FILE, not " + text);
        }
        nodes.put(text.substring(0, equals), Path.of(text.substring(equals + 1)));
    }
}

package io.imexagent.e2e;

import io.imexagent.e2e.process.Checkout;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.PackageNameFilter;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the end-to-end tests: all but those on booted machines, or with {@code --machine} those alone. Arguments select
 * some, each a class or one of its methods as {@code Class#method}. Over another executable of the agent than the
 * checkout's, the integration tests that start the agent run too, which the build runs over the checkout's.
 */
public final class EndToEnd {
    private static final String MACHINE = "io.imexagent.e2e.machine";
    private static final String BUILD = "io.imexagent.e2e.build";

    /** Those of the agent's module that start the program. */
    private static final List<String> PROGRAMS =
            List.of("io.imexagent.agent.cli.FabricProgramsIT", "io.imexagent.agent.cli.FabricRanksIT");

    /** No scenario takes so long; what it waits for ends sooner, and tells what it saw. */
    private static final String LONGEST = "15 m";

    private EndToEnd() {}

    /** Ends with exit code 0 where there are such scenarios and all have passed. */
    public static void main(String[] arguments) {
        boolean machine = arguments.length > 0 && arguments[0].equals("--machine");
        List<String> named = Arrays.asList(arguments).subList(machine ? 1 : 0, arguments.length);
        Set<String> unknown = new TreeSet<>(named);
        boolean another = Checkout.another();
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectPackage(EndToEnd.class.getPackageName()))
                .filters(ClassNameFilter.includeClassNamePatterns(another ? ".*(E2e|IT)" : ".*E2e"))
                .filters(
                        machine
                                ? PackageNameFilter.includePackageNames(MACHINE)
                                : PackageNameFilter.excludePackageNames(MACHINE, BUILD))
                .configurationParameter("junit.jupiter.execution.timeout.testable.method.default", LONGEST)
                // A scenario that cannot even be interrupted is left behind.
                .configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
                .configurationParameter("junit.jupiter.execution.timeout.threaddump.enabled", "true");
        if (another && !machine) {
            // They hide /dev from the program, and with it temporary files in memory.
            request.selectors(PROGRAMS.stream()
                            .map(DiscoverySelectors::selectClass)
                            .toList())
                    .configurationParameter(
                            TempDir.DEFAULT_FACTORY_PROPERTY_NAME, TempDirFactory.Standard.class.getName());
        }
        if (!named.isEmpty()) {
            request.filters((PostDiscoveryFilter) test -> FilterResult.includedIf(test.getSource()
                    .filter(MethodSource.class::isInstance)
                    .map(MethodSource.class::cast)
                    .map(method -> isNamed(method, named, unknown))
                    .orElse(true)));
        }
        ScenarioReport report = new ScenarioReport(System.out, another);
        LauncherFactory.create().execute(request.build(), report);
        unknown.forEach(name -> System.err.println("no end-to-end test is called " + name));
        System.exit(report.allPassed() && unknown.isEmpty() ? 0 : 1);
    }

    /** Whether the method, or its class, is among the names; those are taken from the unknown ones. */
    private static boolean isNamed(MethodSource method, List<String> named, Set<String> unknown) {
        String type = ScenarioReport.simple(method.getClassName());
        List<String> names = List.of(type, type + "#" + method.getMethodName());
        names.forEach(unknown::remove);
        return names.stream().anyMatch(named::contains);
    }
}

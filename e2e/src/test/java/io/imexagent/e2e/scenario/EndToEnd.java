package io.imexagent.e2e.scenario;

import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the end-to-end tests of a package: all of them, or those of the classes that the arguments name, or one
 * as {@code Class#method}. Without {@code --package=} in front it is this package.
 */
public final class EndToEnd {
    private static final String PACKAGE = "--package=";

    /** No scenario takes so long; what it waits for ends sooner, and tells what it saw. */
    private static final String LONGEST = "15 m";

    private EndToEnd() {}

    /** Ends with exit code 0 where all scenarios have passed. */
    public static void main(String[] arguments) {
        boolean elsewhere = arguments.length > 0 && arguments[0].startsWith(PACKAGE);
        String here = elsewhere ? arguments[0].substring(PACKAGE.length()) : EndToEnd.class.getPackageName();
        List<String> classes = Arrays.asList(arguments).subList(elsewhere ? 1 : 0, arguments.length);
        List<DiscoverySelector> selectors = classes.isEmpty()
                ? List.of(DiscoverySelectors.selectPackage(here))
                : classes.stream()
                        .<DiscoverySelector>map(name -> name.contains("#")
                                ? DiscoverySelectors.selectMethod(here + "." + name)
                                : DiscoverySelectors.selectClass(here + "." + name))
                        .toList();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .filters(ClassNameFilter.includeClassNamePatterns(".*E2e"))
                .configurationParameter("junit.jupiter.execution.timeout.testable.method.default", LONGEST)
                // A scenario that cannot even be interrupted is left behind.
                .configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
                .configurationParameter("junit.jupiter.execution.timeout.threaddump.enabled", "true")
                .build();
        ScenarioReport report = new ScenarioReport(System.out);
        LauncherFactory.create().execute(request, report);
        System.exit(report.allPassed() ? 0 : 1);
    }
}

package io.imexagent.testkit.e2e;

import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the end-to-end tests: all of them, or those of the classes that the arguments name. */
public final class EndToEnd {
    private EndToEnd() {}

    /** Ends with exit code 0 where all scenarios have passed. */
    public static void main(String[] arguments) {
        String here = EndToEnd.class.getPackageName();
        List<DiscoverySelector> selectors = arguments.length == 0
                ? List.of(DiscoverySelectors.selectPackage(here))
                : Arrays.stream(arguments)
                        .<DiscoverySelector>map(name -> DiscoverySelectors.selectClass(here + "." + name))
                        .toList();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .filters(ClassNameFilter.includeClassNamePatterns(".*E2e"))
                .build();
        ScenarioReport report = new ScenarioReport(System.out);
        LauncherFactory.create().execute(request, report);
        System.exit(report.allPassed() ? 0 : 1);
    }
}

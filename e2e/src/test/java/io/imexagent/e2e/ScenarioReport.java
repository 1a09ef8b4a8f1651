package io.imexagent.e2e;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Prints each scenario as it ends, and at the end {@code N passed, N failed}, with the number of those left out if any. */
final class ScenarioReport implements TestExecutionListener {
    private final PrintStream out;
    private final boolean mayLeaveOut;
    private final Map<String, Instant> started = new ConcurrentHashMap<>();
    private final AtomicInteger passed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger leftOut = new AtomicInteger();

    /** Prints there. Of the checkout's agent a scenario that leaves itself out has failed; another may lack what it needs. */
    ScenarioReport(PrintStream out, boolean mayLeaveOut) {
        this.out = out;
        this.mayLeaveOut = mayLeaveOut;
    }

    /** Whether there were scenarios and each has passed. */
    boolean allPassed() {
        return failed.get() == 0 && passed.get() > 0;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        started.put(test.getUniqueId(), Instant.now());
    }

    /** A class that fails in its set-up counts as one failure: its scenarios never ran. */
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean successful = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (successful && !test.isTest()) {
            return;
        }
        if (mayLeaveOut && result.getStatus() == TestExecutionResult.Status.ABORTED) {
            leftOut.incrementAndGet();
            String reason = result.getThrowable().map(Throwable::getMessage).orElse("");
            out.println("left out " + name(test) + ": " + reason.replaceFirst("^Assumption failed: ", ""));
            return;
        }
        (successful ? passed : failed).incrementAndGet();
        Instant begin = started.getOrDefault(test.getUniqueId(), Instant.now());
        double seconds = Duration.between(begin, Instant.now()).toMillis() / 1000.0;
        out.printf(Locale.ROOT, "%-6s %s (%.1f s)%n", successful ? "ok" : "FAILED", name(test), seconds);
        result.getThrowable().ifPresent(this::print);
    }

    /** A skipped scenario is a failed one: e2e skips nothing. */
    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        failed.incrementAndGet();
        out.println("FAILED " + name(test) + ": skipped: " + reason);
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        String rest = leftOut.get() == 0 ? "" : ", " + leftOut.get() + " left out";
        out.println(passed.get() + " passed, " + failed.get() + " failed" + rest);
    }

    /** The failure with the lines of this project that led to it. */
    private void print(Throwable failure) {
        out.print(failure.toString().indent(7));
        Arrays.stream(failure.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("io.imexagent"))
                .forEach(frame -> out.println("       at " + frame));
    }

    /** Class and method, and for a run of several what this one was given. */
    private static String name(TestIdentifier test) {
        String display = test.getDisplayName();
        return test.getSource()
                .map(source -> switch (source) {
                    case MethodSource method -> {
                        String what = simple(method.getClassName()) + ": " + method.getMethodName();
                        boolean plain = display.startsWith(method.getMethodName() + "(");
                        yield plain ? what : what + " " + display;
                    }
                    case ClassSource type -> simple(type.getClassName());
                    default -> display;
                })
                .orElse(display);
    }

    /** The name of a class without its package. */
    static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}

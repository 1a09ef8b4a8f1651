package io.imexagent.e2e;

import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;

/**
 * The order in which the classes of integration tests run, so that the processors are busy until the end. Three threads
 * share them: one takes them from the end, where those stand that wait for most of their time, the others from the
 * beginning, where those stand that need the processor longest. A class that is not named here runs in between.
 */
public final class ClassesInTurn implements ClassOrderer {

    private static final List<String> WORKING = List.of(
            "IsolationIT",
            "RailsIT",
            "ImexHealthIT",
            "RecoveryIT",
            "RailExamplesIT",
            "RdmaIT",
            "DomainsIT",
            "CliquesIT");

    private static final List<String> WAITING = List.of(
            "ShutdownIT",
            "GpuHealthIT",
            "LateDriverIT",
            "NodeObjectIT",
            "ServiceManagerIT",
            "AtRestIT",
            "GateIT",
            "ApiFaultsIT");

    /** JUnit makes it. */
    public ClassesInTurn() {}

    @Override
    public void orderClasses(ClassOrdererContext context) {
        context.getClassDescriptors().sort(Comparator.comparingInt(ClassesInTurn::place));
    }

    private static int place(ClassDescriptor test) {
        String name = test.getTestClass().getSimpleName();
        int working = WORKING.indexOf(name);
        return working < 0 ? WAITING.indexOf(name) + 1 : working - WORKING.size();
    }
}

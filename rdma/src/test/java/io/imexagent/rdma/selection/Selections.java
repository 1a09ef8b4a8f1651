package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.probe.UplinkHints;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Selections of made-up hosts, and policies that differ from the standard in one thing. */
final class Selections {

    private Selections() {}

    static RdmaInventory scan(RdmaTree tree) throws IOException {
        return scan(tree, UplinkHints.NONE);
    }

    static RdmaInventory scan(RdmaTree tree, UplinkHints hints) throws IOException {
        return new RdmaProbe(new RootedFiles(tree.root())).scan(tree.gpus(), hints);
    }

    static Selection of(RdmaTree tree) throws IOException {
        return of(tree, SelectionPolicy.STANDARD);
    }

    static Selection of(RdmaTree tree, SelectionPolicy policy) throws IOException {
        return new RailSelector(policy).select(scan(tree));
    }

    static List<String> rails(Selection selection) {
        return selection.rails().stream().map(Rail::label).toList();
    }

    static Rail rail(Selection selection, String label) {
        return selection.rails().stream()
                .filter(rail -> rail.label().equals(label))
                .findFirst()
                .orElseThrow();
    }

    static NicVerdict verdict(Selection selection, String label) {
        return selection.verdicts().stream()
                .filter(verdict -> verdict.reading().label().equals(label))
                .findFirst()
                .orElseThrow();
    }

    static Choice.Dropped dropped(Selection selection, String label) {
        return (Choice.Dropped) verdict(selection, label).choice();
    }

    static List<String> codes(Selection selection) {
        return selection.findings().stream().map(Finding::code).toList();
    }

    static SelectionPolicy including(String... names) {
        return with(Optional.of(Pattern.compile(SelectionPolicy.EXCLUDE)), Set.of(names), false, false);
    }

    static SelectionPolicy includingUplinks(String... names) {
        return with(Optional.of(Pattern.compile(SelectionPolicy.EXCLUDE)), Set.of(names), true, false);
    }

    static SelectionPolicy excluding(String pattern) {
        return with(Optional.of(Pattern.compile(pattern)), Set.of(), false, false);
    }

    static SelectionPolicy excludingNothing() {
        return with(Optional.empty(), Set.of(), false, false);
    }

    static SelectionPolicy strict(String... included) {
        return with(Optional.of(Pattern.compile(SelectionPolicy.EXCLUDE)), Set.of(included), false, true);
    }

    private static SelectionPolicy with(
            Optional<Pattern> exclude, Set<String> include, boolean includeUplinks, boolean strict) {
        return new SelectionPolicy(exclude, include, includeUplinks, Optional.empty(), SelectionPolicy.STORAGE, strict);
    }
}

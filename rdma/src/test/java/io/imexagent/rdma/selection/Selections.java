package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Selections of made-up hosts, and settings that differ from the defaults in one thing. */
final class Selections {

    private Selections() {}

    static RdmaInventory scan(RdmaTree tree) throws IOException {
        return scan(tree, Settings.OFF);
    }

    private static RdmaInventory scan(RdmaTree tree, RdmaSettings settings) throws IOException {
        return new RdmaProbe(new RootedFiles(tree.root())).scan(tree.gpus(), settings, Set.of());
    }

    static Selection of(RdmaTree tree) throws IOException {
        return of(tree, Settings.OFF);
    }

    static Selection of(RdmaTree tree, RdmaSettings settings) throws IOException {
        return new RailSelector(settings).select(scan(tree, settings));
    }

    static Selection withPeer(RdmaTree tree, RdmaSettings settings, String... names) throws IOException {
        return new RailSelector(settings, Optional.of(Set.of(names))).select(scan(tree));
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

    static Choice.DroppedNic dropped(Selection selection, String label) {
        return (Choice.DroppedNic) verdict(selection, label).choice();
    }

    static List<String> codes(Selection selection) {
        return selection.findings().stream().map(Finding::code).toList();
    }

    static RdmaSettings including(String... names) {
        return with(Settings.OFF.exclude(), false, false, names);
    }

    static RdmaSettings includingUplinks(String... names) {
        return with(Settings.OFF.exclude(), true, false, names);
    }

    static RdmaSettings excluding(String pattern) {
        return with(pattern, false, false);
    }

    static RdmaSettings excludingNothing() {
        return with("", false, false);
    }

    static RdmaSettings strict(String... included) {
        return with(Settings.OFF.exclude(), false, true, included);
    }

    private static RdmaSettings with(String exclude, boolean includeUplinks, boolean strict, String... include) {
        return Settings.with(exclude, List.of(include), includeUplinks, Settings.OFF.storageDevices(), strict);
    }
}

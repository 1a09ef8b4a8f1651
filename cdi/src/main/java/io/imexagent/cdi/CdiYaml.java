package io.imexagent.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/**
 * Writes a CDI spec as YAML.
 *
 * <p>The shape is fixed and small, so it is written out by hand: a YAML library's generator would load some hundred
 * classes on the way to the first answer, for the same bytes. That every text comes back as it went in is proven against
 * a YAML parser with arbitrary texts.
 */
final class CdiYaml {

    /** How far a list's items stand to the right of its name, and an item's fields to the right of its dash. */
    private static final int LIST = 4;

    private static final int ITEM = 2;

    private final StringBuilder out = new StringBuilder(512);

    private CdiYaml() {}

    /** The spec as a file's content. Fields that are empty are left out, as the CDI library does. */
    static byte[] encode(CdiSpec spec) {
        var yaml = new CdiYaml();
        yaml.out.append("---\n");
        yaml.text(0, "cdiVersion", spec.version().text());
        yaml.text(0, "kind", spec.kind().toString());
        yaml.list(0, "devices", spec.devices(), yaml::device);
        if (!spec.containerEdits().equals(ContainerEdits.NONE)) {
            yaml.edits(0, spec.containerEdits());
        }
        return yaml.out.toString().getBytes(UTF_8);
    }

    private void device(int at, CdiSpec.Device device) {
        text(at, "name", device.name());
        edits(at, device.containerEdits());
    }

    private void edits(int at, ContainerEdits edits) {
        if (edits.equals(ContainerEdits.NONE)) {
            line(at, "containerEdits: {}");
            return;
        }
        line(at, "containerEdits:");
        int inner = at + LIST;
        texts(inner, "env", edits.env());
        list(inner, "deviceNodes", edits.deviceNodes(), this::deviceNode);
        list(inner, "netDevices", edits.netDevices(), (here, device) -> {
            text(here, "hostInterfaceName", device.hostInterfaceName());
            text(here, "name", device.name());
        });
        list(inner, "hooks", edits.hooks(), this::hook);
        list(inner, "mounts", edits.mounts(), this::mount);
    }

    private void deviceNode(int at, ContainerEdits.DeviceNode node) {
        text(at, "path", node.path());
        text(at, "type", "c");
        number(at, "major", node.major());
        number(at, "minor", node.minor());
        number(at, "fileMode", node.fileMode());
    }

    private void hook(int at, ContainerEdits.Hook hook) {
        text(at, "hookName", hook.hookName());
        text(at, "path", hook.path());
        texts(at, "args", hook.args());
        number(at, "timeout", hook.timeout());
    }

    private void mount(int at, ContainerEdits.Mount mount) {
        text(at, "hostPath", mount.hostPath());
        text(at, "containerPath", mount.containerPath());
        texts(at, "options", mount.options());
    }

    /** A list of mappings: the first field of each item stands behind its dash. */
    private <T> void list(int at, String name, List<T> items, Item<T> write) {
        if (items.isEmpty()) {
            return;
        }
        line(at, name + ":");
        for (T item : items) {
            int begin = out.length();
            write.write(at + LIST + ITEM, item);
            out.setCharAt(begin + at + LIST, '-');
        }
    }

    private void texts(int at, String name, List<String> texts) {
        if (!texts.isEmpty()) {
            line(at, name + ":");
            texts.forEach(text -> line(at + LIST, "- " + YamlText.of(text)));
        }
    }

    private void text(int at, String name, String text) {
        line(at, name + ": " + YamlText.of(text));
    }

    /** The CDI library leaves out a number that is 0, and reads 0 where it is left out. */
    private void number(int at, String name, long number) {
        if (number != 0) {
            line(at, name + ": " + number);
        }
    }

    private void line(int at, String text) {
        out.repeat(' ', at).append(text).append('\n');
    }

    private interface Item<T> {
        void write(int at, T item);
    }
}

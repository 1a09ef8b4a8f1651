package io.imexagent.e2e.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A reader with a keyboard and a screen reader before a {@link Browser}. It keeps every error that the page meets:
 * exceptions, what its policy forbids, requests that fail.
 */
final class PageReader extends Browser {

    private static final Map<String, Integer> CODES = Map.of(
            "Tab", 9,
            "Enter", 13,
            "Escape", 27,
            "End", 35,
            "Home", 36,
            "ArrowLeft", 37,
            "ArrowUp", 38,
            "ArrowRight", 39,
            "ArrowDown", 40);

    private final List<String> errors;
    private final List<String> requests;

    PageReader(Path profile) throws IOException, InterruptedException {
        this(profile, new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
    }

    private PageReader(Path profile, List<String> errors, List<String> requests)
            throws IOException, InterruptedException {
        super(profile, event -> note(event, errors, requests));
        this.errors = errors;
        this.requests = requests;
    }

    private static void note(JsonNode event, List<String> errors, List<String> requests) {
        switch (event.path("method").asText()) {
            case "Runtime.exceptionThrown" ->
                errors.add(event.at("/params/exceptionDetails").toString());
            case "Log.entryAdded" -> {
                if (event.at("/params/entry/level").asText().equals("error")) {
                    errors.add(event.at("/params/entry/text").asText());
                }
            }
            case "Network.requestWillBeSent" ->
                requests.add(event.at("/params/request/url").asText());
            default -> {}
        }
    }

    /** Writes text where the focus is. */
    void write(String text) throws IOException, InterruptedException {
        call("Input.insertText", object().put("text", text));
    }

    /** Presses a key that writes nothing, such as {@code ArrowDown}. */
    void press(String key) throws IOException, InterruptedException {
        press(key, 0);
    }

    /** The same, with Control held. */
    void pressWithControl(String key) throws IOException, InterruptedException {
        press(key, 2);
    }

    private void press(String key, int modifiers) throws IOException, InterruptedException {
        for (String type : List.of("keyDown", "keyUp")) {
            ObjectNode event = object().put("type", type)
                    .put("key", key)
                    .put("code", key)
                    .put("windowsVirtualKeyCode", CODES.getOrDefault(key, 0))
                    .put("modifiers", modifiers);
            if (key.equals("Enter") && type.equals("keyDown")) {
                event.put("text", "\r");
            }
            call("Input.dispatchKeyEvent", event);
        }
    }

    /** What a screen reader hears of the page: role and name of each of its parts that has both. */
    List<String> heard() throws IOException, InterruptedException {
        return call("Accessibility.getFullAXTree", object())
                .path("nodes")
                .valueStream()
                .map(node -> node.at("/role/value").asText() + " "
                        + node.at("/name/value").asText())
                .toList();
    }

    /** All errors that pages have met since the last time this was asked. */
    List<String> takeErrors() {
        return taken(errors);
    }

    /** The addresses of all requests of pages since the last time this was asked. */
    List<String> takeRequests() {
        return taken(requests);
    }

    private static List<String> taken(List<String> all) {
        List<String> taken = List.copyOf(all);
        all.removeAll(taken);
        return taken;
    }
}

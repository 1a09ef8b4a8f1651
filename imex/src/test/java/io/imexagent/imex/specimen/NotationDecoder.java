package io.imexagent.imex.specimen;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.JsonText;
import io.imexagent.imex.prepare.ComputeDomainConfig;
import io.imexagent.imex.prepare.ConfigDecoder;
import java.util.List;

/** A decoder of JSON strings {@code "channel|<domain>|<mode>"} and {@code "daemon|<domain>"}; all else is invalid. */
public final class NotationDecoder implements ConfigDecoder {

    public static final String FAULT = "the field \"domainId\" is unknown; did you mean \"domainID\"?";

    /** The parameters of a channel configuration. */
    public static JsonText channel(String domain, String mode) {
        return new JsonText("\"channel|" + domain + "|" + mode + "\"");
    }

    /** The parameters of a daemon configuration. */
    public static JsonText daemon(String domain) {
        return new JsonText("\"daemon|" + domain + "\"");
    }

    /** Parameters that nobody can decode. */
    public static JsonText broken() {
        return new JsonText("{\"domainId\":\"x\"}");
    }

    @Override
    public Decoded decode(JsonText parameters) {
        String text = parameters.text();
        List<String> parts = List.of(text.substring(1, text.length() - 1).split("\\|", -1));
        return switch (parts.getFirst()) {
            case "channel" ->
                new Decoded.Valid(new ComputeDomainConfig.Channel(new ComputeDomainUid(parts.get(1)), parts.get(2)));
            case "daemon" -> new Decoded.Valid(new ComputeDomainConfig.Daemon(new ComputeDomainUid(parts.get(1))));
            default -> new Decoded.Invalid(FAULT);
        };
    }
}

package io.imexagent.testing.api.access;

import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.Selector;

/**
 * What a request asks of which resource.
 *
 * @param namespace empty for all namespaces and for types without any
 * @param name empty for a collection
 * @param subresource empty or {@code status}
 * @param fields the field selector of the request
 */
public record ResourceRequest(
        RequestVerb verb, ResourceType type, String namespace, String name, String subresource, Selector fields) {

    /** The resource as rules name it: {@code resourceclaims} or {@code resourceclaims/status}. */
    public String resource() {
        return subresource.isEmpty() ? type.plural() : type.plural() + "/" + subresource;
    }

    /** How the server says that no rule allows this. */
    String refusalText(String user) {
        String scope = namespace.isEmpty() ? "at the cluster scope" : "in the namespace \"" + namespace + "\"";
        return "User \"" + user + "\" cannot " + verb.text() + " resource \"" + resource() + "\" in API group \""
                + type.group() + "\" " + scope;
    }
}

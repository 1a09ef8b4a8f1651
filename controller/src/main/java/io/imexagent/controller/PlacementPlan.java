package io.imexagent.controller;

import io.imexagent.core.policy.PlacementMode;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.CliquePlacement.PlacedTemplate;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The planned content of a namespace's CliquePlacement, and the ComputeDomains for which it has no room. */
record PlacementPlan(Optional<CliquePlacement> content, List<DomainObject> left) {

    PlacementPlan {
        left = List.copyOf(left);
    }

    /**
     * Plans the content. If several ComputeDomains name one template, it belongs to the one that {@code owns} it, or,
     * before the template exists, to the first by UID. Templates after the first {@link CliquePlacement#MOST_TEMPLATES}
     * by name are left out.
     */
    static PlacementPlan of(Collection<DomainObject> domains, Predicate<DomainObject> owns, PlacementMode otherwise) {
        Map<String, List<DomainObject>> byTemplate = domains.stream()
                .filter(domain -> !domain.deleting()
                        && DomainPlanner.nameable(domain)
                        && mode(domain, otherwise) != PlacementMode.OFF)
                .collect(Collectors.groupingBy(DomainObject::templateName, TreeMap::new, Collectors.toList()));
        List<DomainObject> owners = byTemplate.values().stream()
                .map(naming -> naming.stream()
                        .min(Comparator.comparing((DomainObject domain) -> !owns.test(domain))
                                .thenComparing(domain -> domain.ref().uid()))
                        .orElseThrow())
                .toList();
        int room = Math.min(owners.size(), CliquePlacement.MOST_TEMPLATES);
        return new PlacementPlan(
                owners.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new CliquePlacement(owners.subList(0, room).stream()
                                .collect(Collectors.toMap(
                                        DomainObject::templateName,
                                        domain -> new PlacedTemplate(domain.uid(), mode(domain, otherwise)))))),
                owners.subList(room, owners.size()));
    }

    /** The mode of a ComputeDomain: that of its annotation, or {@code otherwise} if the annotation names none. */
    static PlacementMode mode(DomainObject domain, PlacementMode otherwise) {
        return PlacementMode.of(domain.placement()).orElse(otherwise);
    }
}

{{/* Where everything of a namespace goes: the release's, unless another is named. */}}
{{- define "imex-agent.namespace" -}}
{{ .Values.namespace | default .Release.Namespace }}
{{- end }}

{{/* Labels of every object. */}}
{{- define "imex-agent.labels" -}}
app.kubernetes.io/name: imex-agent
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: imex-agent
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels of an object with further ones, which beat those of all objects. */}}
{{- define "imex-agent.labelsWith" -}}
{{- mergeOverwrite (include "imex-agent.labels" .root | fromYaml) .labels | toYaml }}
{{- end }}

{{/* Labels by which the pods of a component are found; a selector cannot be changed later. */}}
{{- define "imex-agent.selector" -}}
app.kubernetes.io/name: imex-agent
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Whether agents and controllers serve: a boolean, or a text by --set-string. */}}
{{- define "imex-agent.hostManaged" -}}
{{- if eq (toString .Values.featureGates.HostManagedIMEX) "true" }}true{{ end }}
{{- end }}

{{/* The user of the controllers: the Deployment's service account, or that of their kubeconfig. */}}
{{- define "imex-agent.controllerUser" -}}
{{- if .Values.controller.deployment.enabled -}}
system:serviceaccount:{{ include "imex-agent.namespace" . }}:imex-controller
{{- else -}}
{{ .Values.controller.user }}
{{- end -}}
{{- end }}

{{/* The image, by digest where one is named. */}}
{{- define "imex-agent.image" -}}
{{- $image := .Values.image -}}
{{ required "image.repository: name the registry's folder that holds the image, see docs/cluster.md" $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Of controllers and of the test: the image's entry point, with a heap that holds a whole cluster. */}}
{{- define "imex-agent.controllerCommand" -}}
- /usr/bin/imex-agent
- -Xmx{{ .Values.controller.deployment.heap }}
{{- end }}

{{/* Of a NetworkPolicy: what lets pods reach the API server. */}}
{{- define "imex-agent.apiServer" -}}
{{- with .Values.controller.deployment.networkPolicy -}}
- ports:
    {{- range .apiServerPorts }}
    - protocol: TCP
      port: {{ int . }}
    {{- end }}
  {{- with .apiServerCidrs }}
  to:
    {{- range . }}
    - ipBlock:
        cidr: {{ . | quote }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* /etc/imex-agent/config.yaml of a component: what all have in common, beaten by what the chart knows. */}}
{{- define "imex-agent.configuration" -}}
{{- $gates := dict "HostManagedIMEX" (eq (include "imex-agent.hostManaged" .root) "true") }}
{{- $known := mergeOverwrite (dict "featureGates" $gates) .known }}
{{- with .root.Values.imex.isolation }}
{{- $known = mergeOverwrite $known (dict "imex" (dict "isolation" .)) }}
{{- end }}
{{- $default := dict }}
{{- if ne .root.Values.placement.clique "Off" }}
{{- $default = dict "publication" (dict "cliqueLabel" true) }}
{{- $known = mergeOverwrite $known (dict "placement" (dict "clique" .root.Values.placement.clique)) }}
{{- end }}
{{- mergeOverwrite $default (deepCopy .root.Values.configuration) $known | toYaml }}
{{- end }}

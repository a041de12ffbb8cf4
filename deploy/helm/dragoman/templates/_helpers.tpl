{{- define "dragoman.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "dragoman.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "dragoman.labels" -}}
{{ include "dragoman.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "dragoman.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "dragoman.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "dragoman.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Roles that run as deployments: name to replicas and resources. */}}
{{- define "dragoman.roles" -}}
{{- if eq .Values.database "sqlite" }}
all:
  replicas: 1
  resources: {{ toJson .Values.sqlite.resources }}
{{- else }}
{{- range $role := list "gateway" "worker" "web" "service" }}
{{- $given := index $.Values.roles $role }}
{{- if dig "enabled" true $given }}
{{ $role }}:
  replicas: {{ $given.replicas }}
  resources: {{ toJson $given.resources }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Not optional, so that Kubernetes says when the secret lacks it. */}}
{{- define "dragoman.databaseUrl" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: DATABASE_URL
{{- end }}

{{/* Keys of the secret that each role reads, besides DATABASE_URL. The service decodes what strangers send, so it gets no key of the others. */}}
{{- define "dragoman.secretKeys" -}}
{{- $every := list "METRICS_TOKEN" "OTEL_EXPORTER_OTLP_HEADERS" }}
{{- $core := list "ENCRYPTION_KEY" "SPEECH_API_KEY" }}
{{- $chat := list "DISCORD_TOKEN" "SLACK_APP_TOKEN" "SLACK_BOT_TOKEN" "SLACK_CLIENT_ID" "SLACK_CLIENT_SECRET" "SLACK_SIGNING_SECRET" }}
{{- $service := list "SERVICE_OPENAI_KEY" "SERVICE_OPENAI_CHAT_KEY" "SERVICE_OPENAI_TRANSLATION_KEY" "SERVICE_OPENAI_ASR_KEY" "SERVICE_OPENAI_TTS_KEY" "SERVICE_LIBRETRANSLATE_KEY" "SERVICE_DEEPL_KEY" }}
gateway: {{ concat $every $core $chat | toJson }}
worker: {{ concat $every $core $chat | toJson }}
web: {{ concat $every $core (list "WEB_TOKEN") | toJson }}
service: {{ concat $every $service (list "SERVICE_KEYS") | toJson }}
all: {{ concat $every $core $chat $service (list "WEB_TOKEN") | toJson }}
{{- end }}

{{/* Variables of every process; .role is one of the roles, or all. */}}
{{- define "dragoman.env" -}}
{{- $root := .root }}
- name: ROLES
  value: {{ .role }}
{{- if and (eq $root.Values.database "postgres") (ne .role "service") }}
{{ include "dragoman.databaseUrl" $root }}
{{- end }}
{{- range $key := index (include "dragoman.secretKeys" $root | fromYaml) .role }}
{{- if not (hasKey $root.Values.config $key) }}
- name: {{ $key }}
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.existingSecret }}
      key: {{ $key }}
      optional: true
{{- end }}
{{- end }}
- name: DRAIN_S
  value: {{ $root.Values.drainSeconds | quote }}
- name: OPS_HOST
  value: 0.0.0.0
- name: OPS_PORT
  value: '9090'
- name: HOST
  value: {{ ternary "0.0.0.0" "127.0.0.1" (or (eq .role "web") (eq .role "all")) }}
- name: PORT
  value: '8080'
{{- if or (eq .role "gateway") (eq .role "all") }}
- name: SLACK_HOST
  value: 0.0.0.0
{{- end }}
{{- if eq .role "service" }}
- name: SERVICE_HOST
  value: 0.0.0.0
- name: SERVICE_PORT
  value: '8090'
{{- else if and (eq $root.Values.database "postgres") $root.Values.roles.service.enabled }}
- name: SPEECH_API_URL
  value: http://{{ include "dragoman.name" $root }}-service:8090
{{- end }}
{{- range $name, $value := $root.Values.config }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

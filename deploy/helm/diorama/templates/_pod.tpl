{{- define "diorama.name" -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "diorama.selector" -}}
app.kubernetes.io/name: diorama
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "diorama.labels" -}}
{{ include "diorama.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* A Deployment's template: `root` is the chart's context, `component` the name of the part, `part` its values. */ -}}
{{- define "diorama.pod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "diorama.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- if $root.Values.prometheusAnnotations }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/path: /metrics
    prometheus.io/port: "4400"
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  hostUsers: {{ $root.Values.sandbox.hostUsers }}
  terminationGracePeriodSeconds: {{ add $root.Values.preStopSeconds $root.Values.drainSeconds }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: {{- toYaml $root.Values.sandbox.seccompProfile | nindent 6 }}
    appArmorProfile: {{- toYaml $root.Values.sandbox.appArmorProfile | nindent 6 }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "diorama.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ .component }}
  containers:
    - name: diorama
      image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      ports:
        - { name: http, containerPort: 4400 }
      envFrom:
        - secretRef:
            name: {{ required "existingSecret: name a Secret with DATABASE_URL and DIORAMA_ENCRYPTION_KEY" $root.Values.existingSecret }}
      env:
        - { name: HOST, value: 0.0.0.0 }
        - { name: PORT, value: "4400" }
        - { name: DIORAMA_DATA_DIR, value: /data }
        - { name: DIORAMA_ROLES, value: {{ .part.roles | quote }} }
        - { name: DIORAMA_BASE_URL, value: {{ required "baseUrl: set the address at which clients reach the service" $root.Values.baseUrl | quote }} }
        {{- with $root.Values.twinOrigin }}
        - { name: DIORAMA_TWIN_ORIGIN, value: {{ . | quote }} }
        {{- end }}
        {{- with .part.slots }}
        - { name: DIORAMA_WORKER_SLOTS, value: {{ . | quote }} }
        {{- end }}
        {{- range $name, $value := $root.Values.env }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      lifecycle:
        preStop:
          exec: { command: [sleep, {{ $root.Values.preStopSeconds | quote }}] }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
        procMount: {{ $root.Values.sandbox.procMount }}
      resources: {{- toYaml .part.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
  volumes:
    - name: data
      emptyDir: { sizeLimit: {{ $root.Values.dataSize }} }
    - name: tmp
      emptyDir: { sizeLimit: {{ $root.Values.tmpSize }} }
{{- end }}

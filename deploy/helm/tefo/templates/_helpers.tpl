{{- define "tefo.name" -}}
{{- printf "%s" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "tefo.image" -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}

{{/* Labels of everything. What selects pods adds the component. */}}
{{- define "tefo.labels" -}}
app.kubernetes.io/name: tefo
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "tefo.selector" -}}
app.kubernetes.io/name: tefo
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Variables of every process and command, but PROCESS. */}}
{{- define "tefo.environment" -}}
- name: BASE_URL
  value: {{ .Values.baseUrl | quote }}
- name: DEMO
  value: "0"
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range .Values.secret.variables }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.secret.name | quote }}
      key: {{ . }}
{{- end }}
{{- end -}}

{{/* What every pod of the service has beside its containers. */}}
{{- define "tefo.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Of every container. */}}
{{- define "tefo.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{- define "tefo.volumes" -}}
volumes:
  - name: tmp
    emptyDir: {}
{{- end -}}

{{/* Takes a list: the chart's root, then `api` or `worker`. */}}
{{- define "tefo.deployment" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $port := index . 2 -}}
{{- $own := index $root.Values $component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tefo.name" $root }}-{{ $component }}
  labels:
    {{- include "tefo.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $component }}
spec:
  replicas: {{ $own.replicas }}
  selector:
    matchLabels:
      {{- include "tefo.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ $component }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        {{- include "tefo.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $component }}
      {{- with $root.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "tefo.pod" $root | nindent 6 }}
      # It drains for up to 25 seconds, after the pause below.
      terminationGracePeriodSeconds: 50
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "tefo.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $component }}
      containers:
        - name: {{ $component }}
          image: {{ include "tefo.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          {{- include "tefo.container" $root | nindent 10 }}
          env:
            - name: PROCESS
              value: {{ $component }}
            {{- if eq $component "worker" }}
            - name: HEALTH_PORT
              value: {{ $port | quote }}
            {{- end }}
            {{- include "tefo.environment" $root | nindent 12 }}
          ports:
            - name: http
              containerPort: {{ $port }}
          # A database that is away makes it not ready; only a process that hangs is started again.
          startupProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /health/ready, port: http }
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 2
          lifecycle:
            preStop:
              # Until no load balancer sends anything any more.
              exec: { command: ["sleep", "5"] }
          resources:
            {{- toYaml $own.resources | nindent 12 }}
      {{- include "tefo.volumes" $root | nindent 6 }}
{{- end -}}

{{/* Takes a list: the chart's root, then `api` or `worker`. One of several is always left. */}}
{{- define "tefo.budget" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "tefo.name" $root }}-{{ $component }}
  labels:
    {{- include "tefo.labels" $root | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "tefo.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ $component }}
{{- end -}}

{{/* The pod of a command that runs and ends. Takes a list: the chart's root, the command's words, how often it is tried again. */}}
{{- define "tefo.command" -}}
{{- $root := index . 0 -}}
backoffLimit: {{ index . 2 }}
template:
  metadata:
    labels:
      {{- include "tefo.selector" $root | nindent 6 }}
      app.kubernetes.io/component: command
  spec:
    {{- include "tefo.pod" $root | nindent 4 }}
    restartPolicy: Never
    containers:
      - name: tefo
        image: {{ include "tefo.image" $root | quote }}
        imagePullPolicy: {{ $root.Values.image.pullPolicy }}
        command: ["node", "src/bin/tefo.ts", {{ index . 1 | quote }}]
        {{- include "tefo.container" $root | nindent 8 }}
        env:
          {{- include "tefo.environment" $root | nindent 10 }}
    {{- include "tefo.volumes" $root | nindent 4 }}
{{- end -}}

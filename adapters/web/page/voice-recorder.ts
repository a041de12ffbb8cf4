import { html, nothing, type TemplateResult, LitElement, type PropertyValues } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { DictatedWords } from '../../../src/model/message.ts';
import { t, boot } from './boot.ts';
import { openDictation } from './dictation.ts';
import { canDictate, type LiveTranscript } from './live-transcript.ts';
import { toolButton, barsPath } from './icons.ts';

const utterances = (words: readonly DictatedWords[]): unknown =>
  repeat(
    words,
    ({ id }) => id,
    ({ text, language }) =>
      html`<span lang=${language === '' ? nothing : language}>${text}</span> `,
  );

/**
 * Shows what was recognised so far. Only final words are announced, each once: a voice that reads
 * every partial would speak into the recording. The announced part is there before its first words.
 */
const liveWords = ({ words, isOver }: LiveTranscript): TemplateResult => {
  const isEmpty = words.length === 0;
  return html`
    <div
      class=${isEmpty ? 'unseen' : 'words'}
      role=${isEmpty ? nothing : 'group'}
      aria-label=${isEmpty ? nothing : t('web.record.words')}
      tabindex=${isEmpty ? nothing : 0}
      dir="auto"
    >
      <span aria-live="polite">${utterances(words.filter(({ isFinal }) => isFinal))}</span>
      <span class="growing">${utterances(words.filter(({ isFinal }) => !isFinal))}</span>
      <p role="status">${isOver && !isEmpty ? t('web.record.words-stopped') : nothing}</p>
    </div>
  `;
};

/** One recording from the microphone, in the form that this browser makes. */
type Recording = Awaited<ReturnType<typeof startRecording>>;

const TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];

const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
};

/** Audio that is sent at once: its words are that much later. */
const CHUNK_MS = 250;

/** About as long as the meter waits between two looks: nothing is missed. */
const WINDOW_SAMPLES = 4_096;

/** Browsers give the microphone only to pages of this machine or over HTTPS. */
const canRecord = (): boolean =>
  'mediaDevices' in navigator && typeof MediaRecorder !== 'undefined';

const meter = (stream: MediaStream) => {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = WINDOW_SAMPLES;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    /** Loudness now, 0 to 1. */
    level: (): number => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      return Math.min(1, Math.sqrt(power) * 4);
    },
    close: () => void context.close(),
  };
};

/**
 * Starts to record; `onWords` gets what is recognised until the recording ends. Rejects with the
 * browser's `NotAllowedError` when the person says no.
 */
const startRecording = async (onWords: (live: LiveTranscript) => void) => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const type = TYPES.find((each) => MediaRecorder.isTypeSupported(each));
  const recorder = new MediaRecorder(stream, type === undefined ? {} : { mimeType: type });
  const chunks: Blob[] = [];
  let hasEnded = false;
  const dictation = canDictate(type ?? '')
    ? openDictation((live) => {
        // Its last words are still awaited while the next one is recorded.
        if (!hasEnded) onWords(live);
      })
    : undefined;
  recorder.addEventListener('dataavailable', ({ data }) => {
    chunks.push(data);
    dictation?.send(data);
  });
  const { level, close } = meter(stream);
  const stopped = new Promise<void>((resolve) =>
    recorder.addEventListener('stop', () => resolve(), { once: true }),
  );
  recorder.start(CHUNK_MS);

  const end = (): void => {
    hasEnded = true;
    if (recorder.state !== 'inactive') recorder.stop();
    for (const track of stream.getTracks()) track.stop();
    close();
  };

  return {
    level,
    discard: (): void => {
      end();
      dictation?.drop();
    },
    finish: async (): Promise<File> => {
      end();
      await stopped;
      dictation?.finish();
      const mediaType = recorder.mimeType.split(';')[0] ?? '';
      const time = new Date().toTimeString().slice(0, 8).replaceAll(':', '-');
      return new File(chunks, `recording-${time}.${EXTENSIONS[mediaType] ?? 'webm'}`, {
        type: mediaType,
      });
    },
  };
};

const SILENT: LiveTranscript = { words: [], isOver: false };
const LEVELS = 24;
const TICK_MS = 100;

/** Records from the microphone; says `recorded` with the file, or `failed` with a sentence. */
export class VoiceRecorder extends LitElement {
  static override readonly properties = {
    recording: { state: true },
    seconds: { state: true },
    levels: { state: true },
    live: { state: true },
  };

  declare private recording: Recording | undefined;
  declare private seconds: number;
  declare private levels: readonly number[];
  declare private live: LiveTranscript;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isStarting = false;

  protected override createRenderRoot(): this {
    return this;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end()?.discard();
  }

  #end(): Recording | undefined {
    clearInterval(this.#timer);
    const { recording } = this;
    this.recording = undefined;
    return recording;
  }

  #say(event: 'recorded' | 'failed', detail: File | string): void {
    this.dispatchEvent(new CustomEvent(event, { detail }));
  }

  readonly #start = async (): Promise<void> => {
    if (!canRecord()) return this.#say('failed', t('web.record.impossible'));
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      this.levels = Array.from({ length: LEVELS }, () => 0);
      this.seconds = 0;
      this.live = SILENT;
      const recording = await startRecording((live) => {
        this.live = live;
      });
      if (!this.isConnected) return recording.discard();
      this.recording = recording;
      const startedAtMs = performance.now();
      this.#timer = setInterval(() => {
        this.seconds = Math.floor((performance.now() - startedAtMs) / 1_000);
        this.levels = [...this.levels.slice(1), this.recording?.level() ?? 0];
      }, TICK_MS);
      await this.updateComplete;
      this.querySelector<HTMLElement>('.finish')?.focus();
    } catch {
      this.#say('failed', t('web.record.refused'));
    } finally {
      this.#isStarting = false;
    }
  };

  readonly #finish = async (): Promise<void> => {
    const file = await this.#end()?.finish();
    if (file && file.size > 0) this.#say('recorded', file);
  };

  protected override updated(changed: PropertyValues): void {
    const words = changed.has('live') ? this.querySelector('.words') : null;
    if (words) words.scrollTop = words.scrollHeight;
  }

  protected override render() {
    if (!this.recording) return toolButton(t('web.record.start'), 'microphone', this.#start);
    const clock = new Intl.DateTimeFormat(boot.locale, { minute: '2-digit', second: '2-digit' });
    return html`
      ${liveWords(this.live)}
      <div class="recording" role="group" aria-label=${t('web.record.running')}>
        <span class="dot"></span>
        <svg class="levels" viewBox="0 0 ${LEVELS * 3} 20" aria-hidden="true">
          <path d=${barsPath(this.levels, 20)} />
        </svg>
        <time>${clock.format(this.seconds * 1_000)}</time>
        ${toolButton(t('web.record.discard'), 'close', () => this.#end()?.discard())}
        ${toolButton(t('web.record.finish'), 'check', this.#finish, 'finish')}
      </div>
    `;
  }
}

import { html, LitElement, nothing, svg } from 'lit';
import { live } from 'lit/directives/live.js';
import { t } from './boot.ts';
import { clickOn } from './clicks.ts';
import { icon } from './icons.ts';
import { barsPath, peaksOf } from './waveform.ts';

/** Larger files are played without a picture: decoding them would cost too much memory. */
const MAX_DECODED_BYTES = 6 * 1_048_576;
const DECODE_RATE_HZ = 8_000;

/** Loads the waveform of a file; undefined for what this browser cannot decode. */
export const loadPeaks = async (
  url: string,
  sizeBytes: number,
  bars: number,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> => {
  if (sizeBytes > MAX_DECODED_BYTES) return undefined;
  try {
    const reply = await fetch(url, { signal });
    if (!reply.ok) return undefined;
    const context = new OfflineAudioContext(1, 1, DECODE_RATE_HZ);
    const audio = await context.decodeAudioData(await reply.arrayBuffer());
    return peaksOf(audio.getChannelData(0), bars);
  } catch {
    return undefined;
  }
};

const BARS = 72;
const WIDTH = BARS * 3;
const HEIGHT = 36;

let count = 0;

const clock = (seconds: number): string => {
  const whole = Number.isFinite(seconds) ? Math.round(seconds) : 0;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
};

/** Plays one audio file: play and pause, seek, time, and what it looks like. */
export class AudioPlayer extends LitElement {
  static override readonly properties = {
    src: {},
    name: {},
    size: { type: Number },
    peaks: { state: true },
    playing: { state: true },
    position: { state: true },
    duration: { state: true },
    broken: { state: true },
  };

  declare src: string;
  declare name: string;
  declare size: number;
  declare private peaks: readonly number[] | undefined;
  declare private playing: boolean;
  declare private position: number;
  declare private duration: number;
  declare private broken: boolean;

  readonly #clip = `played-${(count += 1)}`;
  #loading = new AbortController();
  #frame = 0;

  constructor() {
    super();
    this.playing = false;
    this.position = 0;
    this.duration = 0;
    this.broken = false;
  }

  protected override createRenderRoot(): this {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    void this.#picture(signal);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#loading.abort();
    cancelAnimationFrame(this.#frame);
  }

  async #picture(signal: AbortSignal): Promise<void> {
    const peaks = await loadPeaks(this.src, this.size, BARS, signal);
    if (!signal.aborted) this.peaks = peaks;
  }

  get #audio(): HTMLAudioElement | null {
    return this.querySelector('audio');
  }

  #follow(): void {
    cancelAnimationFrame(this.#frame);
    this.position = this.#audio?.currentTime ?? 0;
    if (this.playing) this.#frame = requestAnimationFrame(() => this.#follow());
  }

  readonly #toggle = (): void => {
    const audio = this.#audio;
    if (!audio) return;
    if (audio.paused) audio.play().catch(() => (this.broken = true));
    else audio.pause();
  };

  readonly #seek = (event: Event): void => {
    const audio = this.#audio;
    if (audio) audio.currentTime = Number((event.target as HTMLInputElement).value);
    this.#follow();
  };

  #onState(playing: boolean): void {
    this.playing = playing;
    this.#follow();
  }

  #wave() {
    if (!this.peaks) return nothing;
    const path = barsPath(this.peaks, HEIGHT);
    const played = this.duration > 0 ? (this.position / this.duration) * WIDTH : 0;
    return svg`
      <svg class="wave" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
        <clipPath id=${this.#clip}><rect x="0" y="0" width=${played} height=${HEIGHT} /></clipPath>
        <path d=${path} />
        <path class="played" d=${path} clip-path="url(#${this.#clip})" />
      </svg>`;
  }

  /** `0:03 / 0:12`; what lasts less than a second is said to last one. */
  #clock(): string {
    const whole = this.duration > 0 ? Math.max(1, this.duration) : 0;
    return `${clock(this.position)} / ${clock(whole)}`;
  }

  protected override render() {
    const label = `${this.playing ? t('web.player.pause') : t('web.player.play')}: ${this.name}`;
    return html`
      <audio
        src=${this.src}
        preload="metadata"
        @loadedmetadata=${() => (this.duration = this.#audio?.duration ?? 0)}
        @durationchange=${() => (this.duration = this.#audio?.duration ?? 0)}
        @play=${() => this.#onState(true)}
        @pause=${() => this.#onState(false)}
        @ended=${() => this.#onState(false)}
        @timeupdate=${() => this.#follow()}
        @error=${() => (this.broken = true)}
      ></audio>
      ${
        this.broken
          ? html`<span class="unplayable">${t('web.player.unplayable')}</span>`
          : html`
              <button
                type="button"
                class="play"
                aria-label=${label}
                @click=${clickOn(label, this.#toggle)}
              >
                ${icon(this.playing ? 'pause' : 'play')}
              </button>
              <div class="track">
                ${this.#wave()}
                <input
                  type="range"
                  min="0"
                  step="0.05"
                  max=${Number.isFinite(this.duration) ? this.duration : 0}
                  .value=${live(String(this.position))}
                  aria-label=${t('web.player.seek')}
                  aria-valuetext=${this.#clock()}
                  @input=${this.#seek}
                />
              </div>
              <span class="clock">${this.#clock()}</span>
            `
      }
    `;
  }
}

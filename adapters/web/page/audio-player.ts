import { html, LitElement, nothing, svg } from 'lit';
import { t } from './boot.ts';
import { barsPath, peaksOf } from './icons.ts';

/** Larger files are played without a picture: decoding them would cost too much memory. */
const MAX_DECODED_BYTES = 6 * 1_048_576;
const DECODE_RATE_HZ = 8_000;
const BARS = 72;
const WIDTH = BARS * 3;
const HEIGHT = 36;

/** Loads the waveform of a file; undefined for what this browser cannot decode. */
const loadPeaks = async (
  url: string,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> => {
  if (sizeBytes > MAX_DECODED_BYTES) return undefined;
  try {
    const reply = await fetch(url, { signal });
    if (!reply.ok) return undefined;
    const context = new OfflineAudioContext(1, 1, DECODE_RATE_HZ);
    const audio = await context.decodeAudioData(await reply.arrayBuffer());
    return peaksOf(audio.getChannelData(0), BARS);
  } catch {
    return undefined;
  }
};

let count = 0;

/** The browser's player of one audio file, with a picture of its sound on top. */
export class AudioPlayer extends LitElement {
  static override readonly properties = {
    src: {},
    name: {},
    size: { type: Number },
    peaks: { state: true },
    progress: { state: true },
    broken: { state: true },
  };

  declare src: string;
  declare name: string;
  declare size: number;
  declare private peaks: readonly number[] | undefined;
  /** The part that has been played, 0 to 1. */
  declare private progress: number | undefined;
  declare private broken: boolean;

  readonly #clip = `played-${(count += 1)}`;
  #loading = new AbortController();

  protected override createRenderRoot(): this {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#loading = new AbortController();
    void this.#picture(this.#loading.signal);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#loading.abort();
  }

  async #picture(signal: AbortSignal): Promise<void> {
    const peaks = await loadPeaks(this.src, this.size, signal);
    if (!signal.aborted) this.peaks = peaks;
  }

  /** A browser's own recording does not say how long it is: it is known once its end was looked for. */
  readonly #measure = (event: Event): void => {
    const audio = event.target as HTMLAudioElement;
    if (audio.duration !== Infinity) return;
    audio.addEventListener('durationchange', () => (audio.currentTime = 0), { once: true });
    audio.currentTime = Number.MAX_SAFE_INTEGER;
  };

  readonly #follow = (event: Event): void => {
    const { currentTime, duration } = event.target as HTMLAudioElement;
    this.progress = currentTime / duration || 0;
  };

  #wave(peaks: readonly number[]) {
    const path = barsPath(peaks, HEIGHT);
    const played = (this.progress ?? 0) * WIDTH;
    return svg`
      <svg class="wave" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
        <clipPath id=${this.#clip}><rect x="0" y="0" width=${played} height=${HEIGHT} /></clipPath>
        <path d=${path} />
        <path class="played" d=${path} clip-path="url(#${this.#clip})" />
      </svg>`;
  }

  protected override render() {
    if (this.broken) return html`<span class="unplayable">${t('web.player.unplayable')}</span>`;
    return html`
      ${this.peaks ? this.#wave(this.peaks) : nothing}
      <audio
        controls
        controlslist="nodownload noplaybackrate"
        preload="metadata"
        src=${this.src}
        aria-label=${this.name}
        @loadedmetadata=${this.#measure}
        @timeupdate=${this.#follow}
        @error=${() => (this.broken = true)}
      ></audio>
    `;
  }
}

import { html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import type { PageAuthor } from '../protocol.ts';

/** The part of a `MouseEvent` that is needed here; `detail` counts quick clicks, and is 0 for a key. */
interface Click {
  readonly detail: number;
  preventDefault(): void;
}

/** The label of the button on which the newest series of quick clicks began. */
let firstLabel: string | undefined;

/**
 * Creates the listener for clicks on a button. It ignores the second click of a double click whose
 * first one fell on another button, in the same place; quick clicks on "Next" all count.
 *
 * @param run default: nothing more than the browser does by itself, e.g. submits a form
 */
export const clickOn =
  <Clicked extends Click>(label: string, run?: (click: Clicked) => unknown) =>
  (click: Clicked): void => {
    if (click.detail <= 1) firstLabel = label;
    if (label === firstLabel) void run?.(click);
    else click.preventDefault();
  };

/** The loudest sample of each of `bars` equal parts, scaled so that the loudest of all is 1. */
export const peaksOf = (samples: Float32Array, bars: number): number[] => {
  const peaks = Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * samples.length) / bars);
    const to = Math.floor(((bar + 1) * samples.length) / bars);
    let peak = 0;
    for (let index = from; index < to; index += 1)
      peak = Math.max(peak, Math.abs(samples[index] ?? 0));
    return peak;
  });
  const loudest = Math.max(...peaks);
  return loudest === 0 ? peaks : peaks.map((peak) => peak / loudest);
};

/** The bars of a picture 100 wide and 1 high for each bar, as one SVG path. */
export const barsPath = (peaks: readonly number[], height: number): string =>
  peaks
    .map((peak, index) => {
      const half = Math.max(0.04, peak) * (height / 2 - 1);
      return `M${index * 3 + 1.5} ${(height / 2 - half).toFixed(1)}v${(half * 2).toFixed(1)}`;
    })
    .join('');

const SHAPES = {
  send: svg`<path d="M4 12 20 4l-5 16-3.5-6.5z" /><path d="m11.5 13.5 4-4" />`,
  stop: svg`<rect x="6.5" y="6.5" width="11" height="11" rx="2" fill="currentColor" />`,
  microphone: svg`<rect x="9" y="3" width="6" height="11" rx="3" /><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" />`,
  clip: svg`<path d="m20 11-8.2 8.2a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.700L9.6 16.800a1.7 1.7 0 0 1-2.4-2.400L14.5 7" />`,
  download: svg`<path d="M12 4v11m0 0 4.5-4.500M12 15l-4.5-4.500M5 19.500h14" />`,
  file: svg`<path d="M7 3.500h7l4 4v13H7zM14 3.500v4h4" />`,
  close: svg`<path d="m6.5 6.5 11 11m0-11-11 11" />`,
  menu: svg`<path d="M4 7h16M4 12h16M4 17h10" />`,
  sun: svg`<circle cx="12" cy="12" r="4" /><path d="M12 3v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.400m0-12.800L17 7M7 17l-1.4 1.4" />`,
  moon: svg`<path d="M19.5 14.500A8 8 0 0 1 9.5 4.500a8 8 0 1 0 10 10z" />`,
  sliders: svg`<path d="M4 8h7m4 0h5M4 16h3m4 0h9" /><circle cx="13" cy="8" r="2" /><circle cx="9" cy="16" r="2" />`,
  keyboard: svg`<rect x="3" y="6.5" width="18" height="11" rx="2" /><path d="M7 10h.01M11 10h.01M15 10h.01M8.5 14h7" />`,
  engine: svg`<path d="M4 13h4l2-6 4 11 2-5h4" />`,
  globe: svg`<circle cx="12" cy="12" r="8.5" /><path d="M3.5 12h17M12 3.500c5 5 5 12 0 17c-5-5-5-12 0-17z" />`,
  down: svg`<path d="M12 5v14m0 0 5.5-5.500M12 19l-5.5-5.5" />`,
  copy: svg`<rect x="8.5" y="8.5" width="11" height="11" rx="2" /><path d="M15.5 5.500v-1h-11v11h1" />`,
  check: svg`<path d="m5 12.5 4.5 4.500L19 7.5" />`,
  eye: svg`<path d="M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6z" /><circle cx="12" cy="12" r="2.5" />`,
} as const satisfies Record<string, SVGTemplateResult>;

export type IconName = keyof typeof SHAPES;

/** A drawing that goes with a label; those who listen hear only the label. */
export const icon = (name: IconName): TemplateResult => html`
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${SHAPES[name]}</svg>
`;

const HUES = 8;

const hueOf = (id: string): number =>
  Array.from(id).reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9_973, 7) % HUES;

const initials = (name: string): string => {
  const words = name.trim().split(/\s+/u);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toLocaleUpperCase();
};

export const avatar = ({ id, name, ours }: PageAuthor): TemplateResult =>
  ours
    ? html`<img class="avatar" src="page/icon.svg" alt="" width="36" height="36" />`
    : html`<span class="avatar hue-${hueOf(id)}" aria-hidden="true">${initials(name)}</span>`;

/** A button that shows only an icon; its label is read aloud, and shown on hover. */
export const toolButton = (
  label: string,
  name: IconName,
  act: (event: Event & Click) => unknown,
  look = '',
): TemplateResult => html`
  <button
    type="button"
    class="tool ${look}"
    aria-label=${label}
    title=${label}
    @click=${clickOn(label, act)}
  >
    ${icon(name)}
  </button>
`;

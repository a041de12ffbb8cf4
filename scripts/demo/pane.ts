import { EDIT_MS, FADE_MS, MESSAGE_GAP, WIDTH } from './look.ts';
import { drawMessage } from './message.ts';
import type { Shown } from './record.ts';
import type { Step, Timeline } from './timeline.ts';

interface Pane {
  readonly top: number;
  readonly height: number;
  readonly shown: readonly Shown[];
  /** When the scene begins and ends. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Draws the messages of a channel; the newest stay in sight. */
export const drawPane = (pane: Pane, id: string, timeline: Timeline): string => {
  const { top, height, shown, fromMs, toMs } = pane;
  const states = new Map<string, Shown>();
  const heights = new Map<string, number>();
  const moves = new Map<string, Step[]>();
  const scroll: Step[] = [{ atMs: 0, value: 'translateY(0px)' }];
  const parts: string[] = [];

  for (const message of shown) {
    const isNew = !states.has(message.id);
    states.set(message.id, message);
    const original = states.get(message.replyTo ?? '');
    const quoted =
      original &&
      `**${original.author}**: ${original.text.split('\n').find((line) => !line.startsWith('-#'))}`;
    const { drawing, height: high } = drawMessage(message, quoted);
    heights.set(message.id, high);
    const next = shown.find(({ id: other, atMs }) => other === message.id && atMs > message.atMs);
    const seen = timeline.show(
      fromMs + message.atMs,
      next ? fromMs + next.atMs : toMs,
      isNew ? FADE_MS : 0,
    );
    let y = MESSAGE_GAP;
    for (const [each] of states) {
      const value = `translateY(${y}px)`;
      const steps = moves.get(each) ?? [];
      if (steps.at(-1)?.value !== value)
        moves.set(each, [...steps, { atMs: fromMs + message.atMs, value }]);
      y += heights.get(each)! + MESSAGE_GAP;
    }
    const value = `translateY(${Math.min(0, height - y)}px)`;
    if (scroll.at(-1)!.value !== value) scroll.push({ atMs: fromMs + message.atMs, value });
    const flash =
      message.edits > 0 && message.author !== 'Dragoman'
        ? `<g ${timeline.flash(fromMs + message.atMs, EDIT_MS)}><rect class="changed" x="8" y="-6" width="${WIDTH - 16}" height="${high + 10}" rx="10"/></g>`
        : '';
    parts.push(`<g ${seen}>${flash}${drawing}</g>`);
  }
  const placed = shown.map((message, index) => {
    const [first, ...rest] = moves.get(message.id)!;
    const steps = [{ ...first!, atMs: 0 }, ...rest];
    return `<g ${timeline.animate('transform', steps, FADE_MS)}>${parts[index]}</g>`;
  });
  return (
    `<clipPath id="${id}"><rect y="${top}" width="${WIDTH}" height="${height}"/></clipPath>` +
    `<g clip-path="url(#${id})"><g transform="translate(0 ${top})"><g ${timeline.animate('transform', scroll, FADE_MS)}>${placed.join('')}</g></g></g>`
  );
};

/** Draws a recording as an SVG that moves: no scripts, no fonts of its own, no addresses. */
import { COLOURS, FADE_MS, HEIGHT, LEAD_MS, styleOf, WIDTH, type Theme } from './look.ts';
import { avatar, escape } from './message.ts';
import { drawPane } from './pane.ts';
import type { Recording, Scene } from './record.ts';
import { CHANNELS } from './words.ts';
import { DEFINITIONS } from './symbols.ts';
import { createTimeline, type Timeline } from './timeline.ts';

const heading = (text: string): string =>
  `<text class="heading" x="24" y="42">${escape(text)}</text><path class="rule" d="M0 62.500H${WIDTH}"/>`;

/** A scene whose idle beginning is cut off. */
const startAt = (scene: Scene, atMs: number): Scene => {
  const cut = Math.max(0, atMs - LEAD_MS);
  return {
    shown: scene.shown.map((one) => ({ ...one, atMs: one.atMs - cut })),
    speaking: scene.speaking.map(({ name, fromMs, toMs }) => ({
      name,
      fromMs: fromMs - cut,
      toMs: toMs - cut,
    })),
    lengthMs: scene.lengthMs - cut,
  };
};

const drawVoice = (scene: Scene, timeline: Timeline): string => {
  const people = ['Mia', 'Luis', 'Dragoman'].map((name, index) => {
    const x = 24 + index * 256;
    const rings = scene.speaking
      .filter((one) => one.name === name)
      .map(
        ({ fromMs, toMs }) =>
          `<g ${timeline.show(fromMs, toMs, 120)}><rect x="${x}" y="78" width="240" height="76" rx="12" class="live"/>` +
          `<path class="live" stroke-linecap="round" d="M${x + 196} 111v10m10-18v26m10-20v14"/></g>`,
      );
    return (
      `<rect x="${x}" y="78" width="240" height="76" rx="12" class="card"/>${rings.join('')}` +
      `${avatar(name, x + 16, 92, 48)}<text class="body" x="${x + 78}" y="124">${name}</text>`
    );
  });
  const pane = { top: 166, height: HEIGHT - 170, fromMs: 0, toMs: scene.lengthMs };
  return (
    heading('Voice channel: live captions in two languages') +
    people.join('') +
    drawPane({ ...pane, shown: scene.shown }, 'pane-voice', timeline)
  );
};

const drawLinked = (scene: Scene, fromMs: number, timeline: Timeline): string => {
  const height = (HEIGHT - 62) / 2;
  const panes = [CHANNELS.english, CHANNELS.spanish].map((channel, index) => {
    const top = 62 + index * height;
    const pane = { top: top + 46, height: height - 48, fromMs, toMs: fromMs + scene.lengthMs };
    const shown = scene.shown.filter((one) => one.channel === channel);
    return (
      (index > 0 ? `<path class="rule" d="M0 ${top + 0.5}H${WIDTH}"/>` : '') +
      `<text class="channel" x="24" y="${top + 34}"># ${channel}</text>` +
      drawPane({ ...pane, shown }, `pane-${index}`, timeline)
    );
  });
  return heading('Linked channels: everyone writes their own language') + panes.join('');
};

/** Draws the two scenes one after the other. */
export const drawDemo = (recording: Recording, theme: Theme): string => {
  const colours = COLOURS[theme];
  const voice = startAt(recording.voice, recording.voice.shown[0]!.atMs);
  const text = startAt(recording.text, recording.text.shown[0]!.atMs);
  const lengthMs = voice.lengthMs + text.lengthMs;
  const timeline = createTimeline(lengthMs, voice.lengthMs - 1);
  const scenes =
    `<g ${timeline.show(0, voice.lengthMs, FADE_MS)}>${drawVoice(voice, timeline)}</g>` +
    `<g ${timeline.show(voice.lengthMs, lengthMs - FADE_MS, FADE_MS)}>${drawLinked(text, voice.lengthMs, timeline)}</g>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="A captioned voice channel, and two linked channels">` +
    `<style>${styleOf(colours)}${timeline.style()}</style><defs>${DEFINITIONS}</defs>` +
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="16" fill="${colours.back}" stroke="${colours.edge}"/>` +
    `${scenes}</svg>\n`
  );
};

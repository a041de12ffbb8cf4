import type { AsrSegmentsReply } from '../src/api/contract.ts';

type Segment = AsrSegmentsReply['segments'][number];

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** A time of subtitles: hours, minutes, seconds and milliseconds, with `mark` before the last. */
const timeOf = (seconds: number, mark: ',' | '.'): string => {
  const ms = Math.round(seconds * 1_000);
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map(two).join(':');
  return `${clock}${mark}${String(ms % 1_000).padStart(3, '0')}`;
};

/** The text of a cue: a blank line would end it, and an arrow be read as a time. */
const cueText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll('-->', '→').trim();

const cue = ({ start, end, text }: Segment, mark: ',' | '.'): string =>
  `${timeOf(start, mark)} --> ${timeOf(end, mark)}\n${cueText(text)}\n`;

/** Writes segments as SubRip. */
export const toSrt = (segments: readonly Segment[]): string =>
  segments.map((segment, index) => `${index + 1}\n${cue(segment, ',')}`).join('\n');

/** Writes segments as WebVTT, in which `&` and `<` are markup. */
export const toVtt = (segments: readonly Segment[]): string =>
  `WEBVTT\n\n${segments
    .map(({ text, ...times }) =>
      cue({ ...times, text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') }, '.'),
    )
    .join('\n')}`;

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SessionJson, sessionFile } from '../../../../src/voice/captions/transcript-files.ts';
import type { RoomTranscriptKind } from '../../../../src/model/message.ts';
import type { SessionTranscript, TranscriptLine } from '../../../../src/voice/captions/caption.ts';
import { subtitlesOf } from '../../../../src/text/subtitles.ts';
import { watchEventLoop } from '../../../fakes/event-loop.ts';
import { anyText } from '../../text/any-text.ts';
import { spoken } from './fakes.ts';

const session = (lines: readonly TranscriptLine[], droppedLines = 0): SessionTranscript => ({
  startedMs: Date.UTC(2030, 0, 2, 3, 4, 5),
  droppedLines,
  spokenCount: lines.length,
  lines: () => lines,
  show: () => {},
  mark: () => {},
  change: () => {},
  remove: () => {},
  forget: () => {},
});

const dropped = (lines: number): string => `${lines} lines --> are missing`;

const textOf = async (
  transcript: SessionTranscript,
  kind: RoomTranscriptKind,
  language?: string,
): Promise<string> => {
  const file = await sessionFile(transcript, kind, { dropped, ...(language ? { language } : {}) });
  return Buffer.from(file.bytes).toString();
};

const talk = [
  spoken({ text: 'Hello there.', endMs: 3_000, translations: { es: 'Hola.' } }),
  spoken({ startMs: 1_000, endMs: 2_000, speaker: 'Ben', language: 'es', text: '¿Qué?' }),
  spoken({ startMs: 2_500, endMs: 4_000, text: 'Me again.' }),
];

describe('the file of a session', () => {
  it('has the speakers’ names in text', async () => {
    expect(await textOf(session(talk), 'txt')).toBe(
      '[00:00:00] Ann: Hello there.\n[00:00:01] Ben: ¿Qué?\n[00:00:02] Ann: Me again.\n',
    );
  });

  it('has names in front in SubRip, and overlaps where people did', async () => {
    expect(await textOf(session(talk), 'srt')).toBe(
      '1\n00:00:00,000 --> 00:00:02,500\nAnn: Hello there.\n\n' +
        '2\n00:00:01,000 --> 00:00:02,000\nBen: ¿Qué?\n\n' +
        '3\n00:00:02,500 --> 00:00:04,000\nAnn: Me again.\n',
    );
  });

  it('has voices in WebVTT, whose cues begin in order', async () => {
    const long = spoken({ text: 'word '.repeat(40), endMs: 8_000 });
    const file = await textOf(session([long, ...talk.slice(1, 2)]), 'vtt');
    expect(file.startsWith('WEBVTT\n\n00:00:00.000 --> ')).toBe(true);
    expect(file.match(/<v \w+>/g)).toEqual(['<v Ann>', '<v Ben>', '<v Ann>', '<v Ann>']);
    const starts = [...file.matchAll(/^(\S+) -->/gm)].map((match) => match[1] ?? '');
    expect(starts).toEqual(starts.toSorted());
  });

  it('has everything in JSON', async () => {
    const json = JSON.parse(await textOf(session(talk, 2), 'json')) as SessionJson;
    expect(json).toEqual({ droppedLines: 2, start: '2030-01-02T03:04:05.000Z', lines: talk });
    expect(JSON.parse(await textOf(session([]), 'json'))).toMatchObject({ lines: [] });
  });

  it('is in one language where that is asked for, and in the original where there is no other', async () => {
    expect(await textOf(session(talk), 'txt', 'es-MX')).toBe(
      '[00:00:00] Ann: Hola.\n[00:00:01] Ben: ¿Qué?\n[00:00:02] Ann: Me again.\n',
    );
    const { lines } = JSON.parse(await textOf(session(talk), 'json', 'es')) as SessionJson;
    expect(lines[0]).toEqual({ ...talk[0], language: 'es', text: 'Hola.', translations: {} });
    expect(lines[2]).toMatchObject({ language: 'en', text: 'Me again.' });
  });

  it('states at its beginning that its first captions are missing', async () => {
    const cut = session(talk.slice(2), 12);
    expect(await textOf(cut, 'txt')).toMatch(/^12 lines --> are missing\n\[/);
    expect(await textOf(cut, 'srt')).toMatch(
      /^1\n00:00:00,000 --> 00:00:02,000\n12 lines → are missing\n\n2\n/,
    );
    expect(await textOf(cut, 'vtt')).toMatch(/^WEBVTT 12 lines → are missing\n\n00/);
  });

  it('has a name and a type of its own', async () => {
    const file = await sessionFile(session(talk), 'json', { dropped });
    expect(file).toMatchObject({ name: 'transcript.json', mediaType: 'application/json' });
    expect(await sessionFile(session(talk), 'vtt', { dropped })).toMatchObject({
      name: 'transcript.vtt',
      mediaType: 'text/vtt',
    });
  });

  it.each(['txt', 'srt', 'vtt', 'json'] as const)(
    'lets others work meanwhile (%s)',
    async (kind) => {
      const long = session(
        Array.from({ length: 3_000 }, (_, at) => spoken({ startMs: at * 1_000 })),
      );
      const { turns } = await watchEventLoop(() => sessionFile(long, kind, { dropped }));
      expect(turns).toBeGreaterThan(20);
    },
  );

  it('lets no name out of its cue', async () => {
    const speaker = 'x>\n\n00:00:00.000 --> 00:00:09.000 &<b>';
    expect(await textOf(session([spoken({ speaker })]), 'vtt')).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n' +
        '<v x&gt; 00:00:00.000 --&gt; 00:00:09.000 &amp;&lt;b&gt;>Hello.\n',
    );
    expect((await textOf(session([spoken({ speaker })]), 'srt')).match(/-->/g)).toHaveLength(1);
  });

  it('has one line for each caption in text, and cues without empty lines, whatever breaks are in them', async () => {
    const text = 'first\r\n\r\nsecond\u2028third\u0000';
    const line = spoken({ speaker: 'A\r\nB', text });
    expect(await textOf(session([line]), 'txt')).toBe('[00:00:00] A B: first second third\n');
    for (const kind of ['srt', 'vtt'] as const)
      expect(await textOf(session([line]), kind)).not.toMatch(/\r|\u2028|\0|first\n/);
    const { lines } = JSON.parse(await textOf(session([line]), 'json')) as SessionJson;
    expect(lines[0]).toMatchObject({ speaker: 'A\r\nB', text });
  });

  it('has whole cues in order whoever says what and when', () => {
    const anySegment = fc.record({
      startMs: fc.nat(20_000),
      endMs: fc.nat(20_000),
      speaker: fc.oneof(fc.constantFrom('a', 'b', ''), anyText),
      text: anyText,
    });
    const time = String.raw`\d\d:\d\d:\d\d`;
    const cue = new RegExp(
      String.raw`^(${time}\.\d{3}) --> (${time}\.\d{3})\n(?:<v [^>\n]+>)?[^<>\n]+(?:\n[^<>\n]+)?$`,
    );
    fc.assert(
      fc.property(fc.array(anySegment, { maxLength: 8 }), (segments) => {
        const [head, ...blocks] = subtitlesOf('vtt', segments).replace(/\n$/, '').split('\n\n');
        expect(head).toBe('WEBVTT');
        let lastStart = '';
        for (const block of blocks) {
          const [, start = '', end = ''] = cue.exec(block) ?? [];
          expect(start, block).not.toBe('');
          expect(end > start, block).toBe(true);
          expect(start >= lastStart, block).toBe(true);
          lastStart = start;
        }
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { translateSubtitles } from '../../../service/translation/subtitle-file.ts';

const upper = async (text: string): Promise<string> => text.toUpperCase();

const SRT = `1
00:00:01,000 --> 00:00:02,500
The quick brown fox
sleeps in its den.

2
00:00:03,000 --> 00:00:04,000
- Where is it?
- Over there.


3
00:00:05,000 --> 00:00:06,000
`;

const VTT = `WEBVTT - a talk

STYLE
::cue { color: red }

NOTE the fox is told of later

intro
00:01.000 --> 00:02.000 align:start
The fox.

00:03.000 --> 00:04.000
It sleeps.
`;

describe('subtitles', () => {
  it('keep numbers, times and blank lines; a sentence in two lines is one, turns are several', async () => {
    expect(await translateSubtitles(SRT, upper)).toBe(
      SRT.replace(
        'The quick brown fox\nsleeps in its den.',
        'THE QUICK BROWN FOX\nSLEEPS IN ITS DEN.',
      )
        .replace('Where is it?', 'WHERE IS IT?')
        .replace('Over there.', 'OVER THERE.'),
    );
  });

  it('keep the header, styles, notes and settings of WebVTT', async () => {
    expect(await translateSubtitles(VTT, upper)).toBe(
      VTT.replace('The fox.', 'THE FOX.').replace('It sleeps.', 'IT SLEEPS.'),
    );
  });

  it('are translated together, and one by one where lines get lost', async () => {
    const asked: string[] = [];
    const loses = async (text: string): Promise<string> => {
      asked.push(text);
      return text.replaceAll('\n', ' ').toUpperCase();
    };
    expect(await translateSubtitles(VTT, loses)).toContain('THE FOX.\n\n00:03');
    expect(asked).toEqual(['The fox.\nIt sleeps.', 'The fox.', 'It sleeps.']);
  });

  it.each(['', '\n\n', 'no subtitles at all', '00:00:01,000 --> 00:00:02,500', '1\n2\n3'])(
    '%j stays as it is',
    async (text) => {
      expect(await translateSubtitles(text, upper)).toBe(text);
    },
  );
});

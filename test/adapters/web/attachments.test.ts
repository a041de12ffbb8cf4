import { expect, test } from 'vitest';
import { commandForFile, sizeText } from '../../../adapters/web/page/completion.ts';
import { FAKE_COMMANDS } from '../../fakes/fake-commands.ts';

test.each([
  ['memo.wav', 'audio/wav', 'transcribe'],
  ['memo.m4a', '', 'transcribe'],
  ['clip.webm', 'video/webm', 'transcribe'],
  ['memo.caf', '', 'transcribe'],
  ['terms.csv', 'text/csv', 'glossary import'],
  ['terms.tsv', '', 'glossary import'],
])('%s (%s) is meant for /%s', (name, type, command) => {
  expect(commandForFile({ name, type }, FAKE_COMMANDS)?.name).toBe(command);
});

test.each(['film.srt', 'notes.txt', 'list.xlsx', 'data.json', 'csv'])(
  '%s is meant for no command',
  (name) => {
    expect(commandForFile({ name, type: 'text/plain' }, FAKE_COMMANDS)).toBeUndefined();
  },
);

test('no command is named where none takes files', () => {
  const none = FAKE_COMMANDS.filter(({ name }) => name === 'say');
  expect(commandForFile({ name: 'memo.wav', type: 'audio/wav' }, none)).toBeUndefined();
});

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_500, '1.5 kB'],
  [12_345_678, '12.3 MB'],
  [5e13, '50,000 GB'],
])('%d bytes are written as %s', (bytes, text) => {
  expect(sizeText(bytes, 'en')).toBe(text);
});

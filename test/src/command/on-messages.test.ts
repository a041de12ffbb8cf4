import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { CHANNEL, createProbes, MEMBER } from '../../fakes/probes.ts';
import { rich } from '../../fakes/rich-text.ts';
import { sentence } from '../../fakes/sentences.ts';
import { fresh } from '../../fakes/opened.ts';

const messageOf = (written: string): Message => ({
  ref: { channel: CHANNEL, id: 'message' },
  position: '1',
  author: { id: 'author', name: 'Bob', kind: 'person' },
  text: rich(written),
  files: [],
  stickers: [],
});

describe('a command used on a message', () => {
  const probes = fresh(() => createProbes());

  it('gets its options from the message', async () => {
    expect(probes.dispatcher.commands('en', 'test')[0]?.menu).toBe('commands.probe.menu');
    expect(await probes.run('probe', {}, { on: messageOf('hello') })).toEqual({ text: 'whole' });
    expect(probes.ran).toEqual([{ text: 'hello' }]);
  });

  it('says what the message lacks', async () => {
    const content = await probes.run('probe', {}, { on: messageOf('') });
    expect(content).toEqual({
      text: sentence('translate.nothing-in-message'),
      tone: 'error',
    });
  });

  it('checks what comes of the message as it checks what people type', async () => {
    const content = await probes.run('probe', {}, { on: messageOf('x'.repeat(11)) });
    expect(content?.text).toBe(sentence('options.too-long', { option: '`text`', limit: 10 }));
  });

  it('leaves the words of those alone who opted out, but for themselves', async () => {
    probes.script.optedOut = true;
    const content = await probes.run('probe', {}, { on: messageOf('hello') });
    expect(content?.text).toContain(sentence('errors.author-opted-out'));
    const author = { ...MEMBER, id: 'author' };
    expect(await probes.run('probe', {}, { on: messageOf('hello'), member: author })).toEqual({
      text: 'whole',
    });
  });

  it('leaves the words in a copy of ours alone, whoever of several wrote them', async () => {
    const copy: Message = {
      ...messageOf('hello'),
      author: { id: 'us', name: 'Bob', kind: 'ourselves' },
    };
    probes.script.authorsOf = async () =>
      ['carol', 'author'].map((id) => ({ platform: 'test', id }));
    expect(await probes.run('probe', {}, { on: copy })).toEqual({ text: 'whole' });
    probes.script.optedOut = true;
    const refused = await probes.run('probe', {}, { on: copy });
    expect(refused?.text).toContain(sentence('errors.author-opted-out'));
  });

  it('is refused where it is for no message', async () => {
    expect(await probes.run('probing', {}, { on: messageOf('hello') })).toMatchObject({
      tone: 'error',
    });
  });
});

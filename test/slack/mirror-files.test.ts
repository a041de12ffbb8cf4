import { describe, expect, it } from 'vitest';
import type { FakeChannel, FakeMessage } from '../fakes/slack/index.ts';
import { withSlackBot, openLinked } from './support.ts';

const bot = withSlackBot();

const fileOf = (name: string) => ({
  name,
  mimetype: 'text/plain',
  bytes: new TextEncoder().encode(`what is in ${name}`),
});

const textsIn = ({ posts }: FakeChannel): readonly FakeMessage[] =>
  posts.filter(({ state, text }) => state.files.length === 0 && text.includes('es:'));
const filesIn = ({ posts }: FakeChannel): readonly FakeMessage[] =>
  posts.filter(({ state }) => state.files.length > 0);
const namesIn = (channel: FakeChannel): readonly string[] =>
  filesIn(channel).flatMap(({ fileNames }) => fileNames);

/** The files that the app has, with these names. */
const copiesOf = (...names: readonly string[]): number =>
  [...bot.slack.files.values()].filter(
    ({ owner, name, deleted }) => owner.isBot && names.includes(name) && !deleted,
  ).length;

describe('the files of a mirror', () => {
  it('stand under their owner’s name, with a link to the message', async () => {
    const { channel, spanish, ann } = await openLinked(bot);
    const said = channel.say(ann, 'Here are the plans for summer', {
      files: [fileOf('one.txt'), fileOf('two.txt')],
    });
    await bot.slack.until(() => filesIn(spanish).length === 1);
    const [files] = filesIn(spanish);
    expect(files?.fileNames).toEqual(['one.txt', 'two.txt']);
    expect(files?.shownAuthor).toBe('Ann');
    expect(files?.words).toContain('Ann');
    expect(JSON.stringify(files?.blocks)).toContain(`/p${said.ts.replace('.', '')}`);
  });

  it('go one by one, as their owner deletes them, and with them their message', async () => {
    const { channel, spanish, ann } = await openLinked(bot);
    const said = channel.say(ann, 'Here are the plans for spring', {
      files: [fileOf('april.txt'), fileOf('may.txt')],
    });
    await bot.slack.until(() => namesIn(spanish).length === 2);
    said.deleteFile('april.txt');
    await bot.slack.until(() => copiesOf('april.txt') === 0);
    expect(namesIn(spanish)).toEqual(['may.txt']);
    said.deleteFile('may.txt');
    await bot.slack.until(() => copiesOf('may.txt') === 0);
    expect(filesIn(spanish)).toEqual([]);
    expect(textsIn(spanish)).toHaveLength(1);
  });

  it('do not come back when Slack tells of the message once more, late', async () => {
    const { channel, spanish, ann } = await openLinked(bot);
    const said = channel.say(ann, 'Here are the plans for monday', { files: [fileOf('m.txt')] });
    const told = bot.slack.events.log.findLast(({ event }) => event['ts'] === said.ts);
    if (!told) throw new Error('there is no event');
    await bot.slack.until(() => namesIn(spanish).length === 1);
    said.deleteFile('m.txt');
    await bot.slack.until(() => copiesOf('m.txt') === 0);
    const revision = async () =>
      bot.store
        .selectFrom('inbox')
        .select('revision')
        .where('message_id', '=', said.ts)
        .executeTakeFirstOrThrow();
    const known = await revision();
    expect(await bot.slack.events.repeat(told)).toMatchObject({ acked: true });
    expect(await revision()).toEqual(known);
    expect(namesIn(spanish)).toEqual([]);
  });

  it('come later where they are added later, and those that stand stay', async () => {
    const { channel, spanish, ann } = await openLinked(bot);
    const said = channel.say(ann, 'Here are the plans for autumn', {
      files: [fileOf('september.txt')],
    });
    await bot.slack.until(() => namesIn(spanish).length === 1);
    said.addFiles(fileOf('october.txt'));
    await bot.slack.until(() => namesIn(spanish).length === 2);
    expect(filesIn(spanish).map(({ fileNames }) => fileNames)).toEqual([
      ['september.txt'],
      ['october.txt'],
    ]);
    said.edit('Here are all plans for autumn');
    await bot.slack.until(() => textsIn(spanish)[0]?.text.includes('all plans') ?? false);
    expect(namesIn(spanish)).toEqual(['september.txt', 'october.txt']);
    said.delete();
    await bot.slack.until(() => spanish.posts.every(({ text }) => !text.includes('es:')));
    await bot.slack.until(() => copiesOf('september.txt', 'october.txt') === 0);
    expect(filesIn(spanish)).toEqual([]);
  });

  it.each([
    ['files.getUploadURLExternal', { reset: 'after' }],
    ['files.getUploadURLExternal', { error: 'internal_error' }],
    ['chat.postMessage', { reset: 'before' }],
    ['chat.postMessage', { reset: 'after' }],
    ['files.completeUploadExternal', { reset: 'before' }],
    ['files.completeUploadExternal', { reset: 'after' }],
    ['files.completeUploadExternal', { error: 'internal_error' }],
    ['files.completeUploadExternal', { status: 503 }],
    ['files.info', { reset: 'after' }],
    ['files.info', { error: 'fatal_error' }],
  ] as const)('stand once, and go with their source, when %s ends with %j', async (method, how) => {
    const { channel, spanish, ann } = await openLinked(bot);
    const said = channel.say(ann, 'first I say some words here');
    await bot.slack.until(() => textsIn(spanish).length === 1);
    bot.slack.fail(method, how);
    const name = `${crypto.randomUUID()}.txt`;
    const next = channel.say(ann, 'Here are the plans for winter', { files: [fileOf(name)] });
    await bot.slack.until(() => namesIn(spanish).length > 0);
    said.edit('first I say many words here');
    await bot.slack.until(() => textsIn(spanish)[0]?.text.includes('many words') ?? false);
    expect(textsIn(spanish)).toHaveLength(2);
    expect(namesIn(spanish)).toEqual([name]);
    next.delete();
    await bot.slack.until(() => textsIn(spanish).length === 1 && filesIn(spanish).length === 0);
    await bot.slack.until(() => copiesOf(name) === 0);
  });

  it('are uploaded anew when Slack never shows them, and never twice', async () => {
    const { channel, spanish, ann } = await openLinked(bot);
    bot.slack.loseShares(1);
    channel.say(ann, 'Here is what was lost before', { files: [fileOf('lost.txt')] });
    await bot.slack.until(() => namesIn(spanish).length === 1 && copiesOf('lost.txt') === 1);
    channel.say(ann, 'Here is what came afterwards');
    await bot.slack.until(() => textsIn(spanish).length === 2);
    expect(namesIn(spanish)).toEqual(['lost.txt']);
  });

  it.each([
    ['files.completeUploadExternal', { reset: 'after' }],
    ['chat.update', { reset: 'after' }],
    ['files.delete', { reset: 'before' }],
    ['files.delete', { error: 'internal_error' }],
    ['chat.delete', { reset: 'after' }],
  ] as const)('change once by an edit, when %s ends with %j', async (method, how) => {
    const { channel, spanish, ann } = await openLinked(bot);
    const [old, added] = [`${crypto.randomUUID()}.txt`, `${crypto.randomUUID()}.txt`];
    const said = channel.say(ann, 'Here are the plans so far', { files: [fileOf(old)] });
    await bot.slack.until(() => namesIn(spanish).length === 1);
    bot.slack.fail(method, how);
    said.addFiles(fileOf(added));
    said.deleteFile(old);
    await bot.slack.until(() => namesIn(spanish).join() === added && copiesOf(old) === 0);
    bot.slack.heal();
    said.edit('Here are the plans at last');
    await bot.slack.until(() => textsIn(spanish)[0]?.text.includes('at last') ?? false);
    expect(textsIn(spanish)).toHaveLength(1);
    expect(namesIn(spanish)).toEqual([added]);
  });
});

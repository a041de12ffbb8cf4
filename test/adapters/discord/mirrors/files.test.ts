import { describe, expect, test } from 'vitest';
import { withCopies } from './support.ts';
import { rich } from '../../../fakes/rich-text.ts';

const { discord, setUp } = withCopies();

const EDITS = ['PATCH /webhooks/:id/:token/messages/:id', 'PATCH /channels/:id/messages/:id'];
const file = (name: string, words: string, altText?: string) => ({
  name,
  mediaType: 'image/png',
  bytes: Buffer.from(words),
  ...(altText === undefined ? {} : { altText }),
});
/** What is shown of a message's files; their links are signed anew for each reader. */
const filesOf = (
  message: { readonly attachments: readonly { readonly url: string }[] } | undefined,
) =>
  message?.attachments.map((attachment) => ({ ...attachment, url: attachment.url.split('?')[0] }));
/** Names of the files that edits have sent since a request. */
const uploads = (since: number): readonly string[] =>
  discord.fake.requests
    .slice(since)
    .filter(({ route }) => EDITS.includes(route))
    .flatMap(({ files }) => files.map(({ name }) => name));

describe.each(['a webhook', 'the bot'])('the files of a mirror by %s', (by) => {
  const open = () => {
    const here = setUp();
    if (by === 'the bot') here.guild.revoke('ManageWebhooks');
    return here;
  };

  test('keep their alt text, and are not sent again when the text changes', async () => {
    const { to, copyOf, post } = open();
    const files = [file('a cat.png', 'cat', 'A black cat'), file('dog.png', 'dog')];
    const copy = copyOf('one', undefined, { content: { text: rich('ONE'), files } });
    const [posted] = await post([copy]);
    const since = discord.fake.requests.length;
    const before = filesOf(to.last);
    expect(to.last?.attachments.map(({ description }) => description)).toEqual([
      'A black cat',
      undefined,
    ]);
    const changed = { ...copy, content: { text: rich('TWO'), files } };
    await discord.mirrors.update(posted!, changed);
    expect(to.last?.content).toContain('TWO');
    expect(filesOf(to.last)).toEqual(before);
    expect(uploads(since)).toEqual([]);
  });

  test('are sent where they are new, and taken away where they are gone', async () => {
    const { to, copyOf, post } = open();
    const files = [file('cat.png', 'cat'), file('dog.png', 'dog')];
    const copy = copyOf('one', undefined, { content: { text: rich('ONE'), files } });
    const [posted] = await post([copy]);
    const since = discord.fake.requests.length;
    const now = [file('cat.png', 'bear', 'A bear'), file('dog.png', 'dog')];
    await discord.mirrors.update(posted!, { ...copy, content: { text: rich('ONE'), files: now } });
    const shown = to.last?.attachments.map(({ bytes }) => Buffer.from(bytes).toString());
    expect(shown?.toSorted()).toEqual(['bear', 'dog']);
    expect(uploads(since)).toEqual(['cat.png']);
  });
});

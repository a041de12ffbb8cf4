import { expect, test } from 'vitest';
import type { Api } from '../../../../adapters/slack/api.ts';
import { createAnswer, type AnswerPlace } from '../../../../adapters/slack/interactions/answer.ts';
import type { NamedContent } from '../../../../adapters/slack/mentions.ts';
import type { MessageWriter } from '../../../../adapters/slack/outbound/message-writer.ts';
import type { Uploads } from '../../../../adapters/slack/outbound/uploads.ts';
import type { Content } from '../../../../src/model/message.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { serve } from '../../../fakes/serve.ts';
import { realTexts } from '../../../fakes/texts.ts';

/** Creates the answer to a command, and lists the methods that it calls. */
const answering = (
  responseUrl: string | undefined,
  apiUrl: string | undefined,
  isPrivate = true,
  writer = {} as MessageWriter,
  onMessage?: AnswerPlace['onMessage'],
) => {
  const called: string[] = [];
  const call = async (_: unknown, method: string) => void called.push(method);
  const answer = createAnswer(
    {
      api: { call } as unknown as Api,
      mentions: { on: async (_, content) => content as NamedContent },
      writer,
      uploads: { stage: async () => [] } as unknown as Uploads,
      texts: realTexts,
      log: silentLog,
      speed: 1,
      now: () => 0,
      apiUrl,
    },
    {
      channel: { space: { platform: 'slack', id: 'T1' }, id: 'C0123456789' },
      userId: 'U1',
      responseUrl,
      isPrivate,
      onMessage,
    },
  );
  return { answer, called };
};

/** Answers a command whose response URL is this one; resolves with the methods that were called. */
const answerAt = async (
  responseUrl: string,
  apiUrl: string | undefined,
  content: Content = { text: rich('a private answer') },
  isPrivate = true,
) => {
  const { answer, called } = answering(responseUrl, apiUrl, isPrivate);
  await answer.show(content);
  return called;
};

test('a response URL at another server is not asked: the answer comes by a call', async () => {
  await using inside = await serve((_, response) => void response.end());
  await using own = await serve((_, response) => void response.end());
  for (const apiUrl of [undefined, `${own.url}/api/`])
    expect(await answerAt(`${inside.url}/inside`, apiUrl)).toEqual(['chat.postEphemeral']);
  expect(await answerAt(`${own.url}/response`, `${own.url}/api/`)).toEqual([]);
  expect([own.asked, inside.asked]).toEqual([['/response'], []]);
});

test('a question is for the asker alone, also where the command’s answers are for all', async () => {
  const content = { text: rich('Really?'), tone: 'question' } as const;
  expect(await answerAt('https://elsewhere.example', undefined, content, false)).toEqual([
    'chat.postEphemeral',
  ]);
});

test('what is shown aside of a message of others is for the presser alone, and leaves the message', async () => {
  const bodies: string[] = [];
  await using own = await serve((asked, response) => {
    asked.setEncoding('utf8').on('data', (part: string) => bodies.push(part));
    asked.on('end', () => response.end());
  });
  const onMessage = { ts: '1.2', isEphemeral: false };
  const { answer, called } = answering(`${own.url}/response`, own.url, false, undefined, onMessage);
  await answer.showAside?.({ text: rich('not you') });
  expect(called).toEqual([]);
  expect(JSON.parse(bodies.join(''))).toMatchObject({
    response_type: 'ephemeral',
    replace_original: false,
  });
});

test('a response URL that leads on to another server gets the answer alone', async () => {
  await using inside = await serve((_, response) => void response.end());
  await using own = await serve((_, response) => {
    response.writeHead(307, { location: `${inside.url}/inside` }).end();
  });
  expect(await answerAt(`${own.url}/response`, own.url)).toEqual(['chat.postEphemeral']);
  expect(inside.asked).toEqual([]);
});

test('what comes below an answer that everybody sees is a message of its own, which stays', async () => {
  const synced: (readonly string[])[] = [];
  const sync = async (_: unknown, ids: readonly string[]) => [String(synced.push(ids))];
  const writer = { sync, showFiles: async () => [] } as unknown as MessageWriter;
  const { answer } = answering(undefined, undefined, false, writer);
  await answer.show({ text: rich('page') });
  await answer.showBelow?.({ text: rich('summary') });
  await answer.show({ text: rich('another page') });
  expect(synced).toEqual([[], [], ['1']]);
});

import { z } from 'zod';
import type { Api } from '../api.ts';
import { channelOf, PLATFORM, spaceOf } from '../ids.ts';
import { NAMING } from '../manifest.ts';
import type { Mentions } from '../mentions.ts';
import type { MessageWriter } from '../outbound/message-writer.ts';
import { render } from '../outbound/render.ts';
import { isPersonId, openDirectChannel, type People } from '../people.ts';
import { ANSWERING } from '../rate-limiter.ts';
import type { AnswerPlace } from './answer.ts';
import { readMember } from './invocations.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Answer } from '../../../src/ports/platform.ts';
import type { AwaitedAnswer } from '../../../src/ports/store.ts';

/** The place of an answer: in a thread that everybody there sees, or for the asker alone. */
const address = z.object({
  channel: z.string(),
  thread: z.string().optional(),
  responseUrl: z.string().optional(),
});

/** The fields of a use that say who asked, and where. */
const used = z.looseObject({
  team_id: z.string().optional(),
  team: z.looseObject({ id: z.string() }).nullish(),
  user_id: z.string().optional(),
  user: z.looseObject({ id: z.string(), team_id: z.string().optional() }).optional(),
  channel_id: z.string().optional(),
  channel: z.looseObject({ id: z.string() }).nullish(),
  response_url: z.string().optional(),
});

/** The answer to a use of a command or control, which its asker alone is told of. */
export const awaitedByUse = (body: unknown): AwaitedAnswer | undefined => {
  const { data } = used.safeParse(body);
  const spaceId = data?.team_id ?? data?.team?.id ?? data?.user?.team_id;
  const memberId = data?.user_id ?? data?.user?.id;
  if (!data || spaceId === undefined || memberId === undefined) return undefined;
  const channel = data.channel_id ?? data.channel?.id ?? memberId;
  const where: z.infer<typeof address> = { channel, responseUrl: data.response_url };
  return { spaceId, memberId, address: JSON.stringify(where) };
};

/** The answer to a question, which comes in a thread. */
export const awaitedIn = (
  { space, id }: Channel,
  thread: string,
  memberId: string,
): AwaitedAnswer => {
  const where: z.infer<typeof address> = { channel: id, thread };
  return { spaceId: space.id, memberId, address: JSON.stringify(where) };
};

export interface InterruptedDeps {
  readonly api: Api;
  readonly core: Pick<Core, 'keepOpenAnswers' | 'texts'>;
  readonly people: Pick<People, 'of'>;
  readonly mentions: Pick<Mentions, 'on'>;
  readonly writer: MessageWriter;
  readonly answerAt: (place: AnswerPlace) => Answer;
}

/** Opens what keeps the answers that people wait for, and tells them of those that a restart interrupted. */
export const openAnswers = ({ api, core, people, mentions, writer, answerAt }: InterruptedDeps) =>
  core.keepOpenAnswers(PLATFORM, async ({ spaceId, memberId: userId, address: stored }) => {
    const { channel: id, thread, responseUrl } = address.parse(JSON.parse(stored));
    const space = spaceOf(spaceId);
    const { locale } = await readMember(people, space, userId);
    const text = core.texts.rich(locale, NAMING)('answers.interrupted');
    const content = { text, tone: 'note' } as const;
    if (thread === undefined && !isPersonId(id)) {
      const channel = channelOf(spaceId, id);
      return answerAt({ channel, userId, responseUrl, isPrivate: true }).show(content);
    }
    const channel = isPersonId(id)
      ? await openDirectChannel(api, space, userId)
      : channelOf(spaceId, id);
    // It also ends "is thinking…".
    await writer.post(channel, render(await mentions.on(space, content)), {
      threadTs: thread,
      priority: ANSWERING,
    });
  });

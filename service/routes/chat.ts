import { z } from 'zod';
import { PATHS } from '../../src/api/contract.ts';
import { parseJson, readBytes, validate } from '../body.ts';
import { holding, primed, streamReply } from '../respond.ts';
import type { Route } from '../route.ts';

/** Long talks and small pictures; parsing more would hold everybody else up. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** The rest is between the client and the model. */
const chatBody = z.looseObject({
  model: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
});

/** Contract section 4.1: OpenAI-compatible, passed through. */
export const chat: Route = {
  method: 'POST',
  path: PATHS.chat,
  stage: 'llm',
  timeoutMs: 600_000,
  handle: async ({ request, engines, log, signal, cutOff }) => {
    const bytes = await readBytes(request, MAX_BODY_BYTES, signal);
    const wish = validate(chatBody, parseJson(bytes.toString('utf8')));
    const [offer] = await engines.having('chat');
    if (!offer) throw engines.missing({ ability: 'chat' });
    const place = await offer.gate.enter(signal);
    let mediaType = 'application/json';
    const answer = (async function* () {
      const reply = await offer.part.complete(wish, signal);
      ({ mediaType } = reply);
      yield* reply.body;
    })();
    const body = await primed(holding(place, answer));
    return streamReply(
      body,
      { 'content-type': mediaType, 'cache-control': 'no-cache' },
      { log, cutOff },
    );
  },
};

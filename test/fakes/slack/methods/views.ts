import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { checkView } from '../blocks.ts';
import { SlackFault } from '../errors.ts';
import { renderView } from '../render.ts';
import type { Json } from '../json.ts';
import type { Trigger, View, World } from '../state.ts';
import { json, method, TIER } from './call.ts';

/** Life of a trigger ("Modals": 3 seconds). */
const TRIGGER_MS = 3_000;
/** Views on top of each other in one modal. */
const STACK = 3;

const viewArg = json(z.record(z.string(), z.unknown()));

const takeTrigger = (world: World, id: string): Trigger => {
  const trigger = world.triggers.get(id);
  if (!trigger) throw new SlackFault('invalid_trigger_id');
  if (trigger.used) throw new SlackFault('exchanged_trigger_id');
  if (world.clock.now() - trigger.createdAt > TRIGGER_MS)
    throw new SlackFault('expired_trigger_id');
  trigger.used = true;
  return trigger;
};

export const openView = (
  world: World,
  user: View['user'],
  content: Json,
  type: View['type'],
  previous?: View,
): View => {
  checkView(content, type);
  const id = world.clock.id('V');
  const view: View = {
    id,
    type,
    user,
    workspace: user.workspace,
    rootId: previous?.rootId ?? id,
    previous,
    externalId: content['external_id'] as string | undefined,
    content,
    hash: randomUUID(),
    open: true,
  };
  world.views.set(id, view);
  world.changed();
  return view;
};

export const updateView = (world: World, view: View, content: Json): void => {
  checkView(content, view.type);
  view.content = content;
  view.hash = randomUUID();
  world.changed();
};

const depth = (view: View): number => (view.previous ? depth(view.previous) + 1 : 1);

const open = method(
  'views.open',
  { rate: TIER[4], args: z.looseObject({ trigger_id: z.string(), view: viewArg }) },
  ({ world, args }) => {
    checkView(args.view, 'modal');
    const { user } = takeTrigger(world, args.trigger_id);
    return { view: renderView(world, openView(world, user, args.view, 'modal')) };
  },
);

const push = method(
  'views.push',
  { rate: TIER[4], args: z.looseObject({ trigger_id: z.string(), view: viewArg }) },
  ({ world, args }) => {
    checkView(args.view, 'modal');
    const { user, view } = takeTrigger(world, args.trigger_id);
    if (!view?.open) throw new SlackFault('not_found');
    if (depth(view) >= STACK) throw new SlackFault('push_limit_reached');
    return { view: renderView(world, openView(world, user, args.view, 'modal', view)) };
  },
);

const update = method(
  'views.update',
  {
    rate: TIER[4],
    args: z.looseObject({
      view_id: z.string().optional(),
      external_id: z.string().optional(),
      hash: z.string().optional(),
      view: viewArg,
    }),
  },
  ({ world, args }) => {
    const view = args.view_id
      ? world.views.get(args.view_id)
      : [...world.views.values()].find(({ externalId }) => externalId === args.external_id);
    if (!view?.open) throw new SlackFault('not_found');
    if (args.hash !== undefined && args.hash !== view.hash) throw new SlackFault('hash_conflict');
    updateView(world, view, args.view);
    return { view: renderView(world, view) };
  },
);

const publish = method(
  'views.publish',
  {
    rate: TIER[4],
    args: z.looseObject({ user_id: z.string(), view: viewArg, hash: z.string().optional() }),
  },
  ({ world, args, installation }) => {
    const user = installation.workspace.users.get(args.user_id);
    if (!user) throw new SlackFault('invalid_arguments');
    const known = homeOf(world, user);
    if (known && args.hash !== undefined && args.hash !== known.hash)
      throw new SlackFault('hash_conflict');
    if (known) updateView(world, known, args.view);
    const view = known ?? openView(world, user, args.view, 'home');
    return { view: renderView(world, view) };
  },
);

/** The App Home that a person sees. */
export const homeOf = (world: World, user: View['user']): View | undefined =>
  [...world.views.values()].find((view) => view.type === 'home' && view.user === user);

export const viewMethods = [open, push, update, publish];

/** Which requests are spoilt. */
export interface FailOptions<Request> {
  /** How many requests are spoilt. Default 1; with `while` no bound. */
  readonly times?: number;
  /** Asked for each request of the route. */
  readonly while?: (request: Request) => boolean;
}

/** The faults that a test has planned for the next requests of a fake, by route. */
export interface FaultPlan<Request, Effect> {
  plan(route: string, effect: Effect, options?: FailOptions<Request>): void;
  /** The effect for this request, counted as used. */
  take(route: string, request: Request): Effect | undefined;
  clear(): void;
}

export const createFaultPlan = <Request, Effect>(): FaultPlan<Request, Effect> => {
  interface Planned {
    readonly route: string;
    readonly effect: Effect;
    readonly while: FailOptions<Request>['while'];
    left: number;
  }
  let planned: Planned[] = [];
  return {
    plan: (route, effect, options = {}) => {
      const bound = options.while === undefined ? 1 : Infinity;
      planned.push({ route, effect, while: options.while, left: options.times ?? bound });
    },
    take: (route, request) => {
      const hit = planned.find((one) => one.route === route && (one.while?.(request) ?? true));
      if (hit !== undefined) hit.left -= 1;
      planned = planned.filter((one) => one.left > 0);
      return hit?.effect;
    },
    clear: () => {
      planned = [];
    },
  };
};

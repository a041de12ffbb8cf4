import process from 'node:process';

/** Cases of each property that names no number of its own. */
const CASES = 100;
/** Cases of such a property where nothing says otherwise: enough for every day, as CI tries more. */
const EVERY_DAY = 20;

const SHARE = Number(process.env['PROPERTY_RUNS'] ?? EVERY_DAY) / CASES;

/** How many cases to try of `cases`, for as thorough a run as `PROPERTY_RUNS` asks for. At least `least`. */
export const casesOf = (cases: number = CASES, least = 1): number =>
  Math.max(least, Math.ceil(cases * SHARE));

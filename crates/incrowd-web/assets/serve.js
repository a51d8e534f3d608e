// @ts-check
/** The pages of `incrowd serve`. */

import { start } from "./app.js";
import { httpApi } from "./http-api.js";

start(httpApi);

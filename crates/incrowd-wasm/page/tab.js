// @ts-check
/** The pages in a tab of their own. */

import { start } from "../../incrowd-web/assets/app.js";
import { workerApi } from "./worker-api.js";

start(workerApi);

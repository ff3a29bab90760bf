// Made by Tools/describe; not to be edited.

/// `/openapi.json`
enum DescriptionJSON {
    static let text = #"""
{
 "openapi": "3.1.0",
 "info": {
  "title": "GreenTea",
  "version": "1.0.0",
  "summary": "Digital stamp cards for tea, dessert and coffee shops.",
  "license": {
   "name": "All rights reserved",
   "identifier": "LicenseRef-GreenTea"
  },
  "description": "A merchant opens a shop and publishes a campaign: ten cups, the eleventh is free. Who pays is shown a one-time stamp code and\nenters it; the card gains a stamp. A full card is redeemed with a one-time redemption code that the merchant verifies.\n\n**Signing in.** `POST /v1/verifications` sends six digits to a phone, `POST /v1/sessions` turns them into an access token of 15\nminutes and a refresh token. Send the access token as `Authorization: Bearer …`. Each refresh token works once; the use of an\nold one, more than ten seconds later, ends its whole family.\n\n**Writes** take an `Idempotency-Key`, your own name for the request. The same key with the same request answers what it\nanswered the first time, byte for byte, for ever, and has no second effect; what was refused is judged anew. The same key\nwith another request is refused. Stamping and redeeming need one. A request that was accepted although nothing was left to do, such as\na favourite made a favourite again, is remembered for a day; signing in and refreshing for five minutes.\n\n**Reading your writes.** Each answer to a write carries `GreenTea-Position`. A read that sends it back as\n`GreenTea-Min-Position` answers from no earlier state.\n\n**Edits** send the `ETag` that they saw as `If-Match`.\n\n**Lists** come in pages: `{\"items\": […], \"next\": \"<cursor>\" | null}`. A page may hold fewer items than were asked for, or\nnone; `next` alone says whether there are more. A search looks at so many things a page and no more, whatever it asks for. A list by\npopularity that is gone on with after thousands of favourites have changed goes on as it stands then.\n\n**Ids** have a prefix and 26 characters (`card_01hv…`). One of another kind is not found. **Times** are RFC 3339 in UTC with\nmilliseconds. **Coordinates** are WGS 84 degrees. In requests, `null` is as good as leaving a field out, except where an edit\nsays otherwise, and fields that are not described are ignored.\n\n**Problems** are RFC 9457 documents; compare `code`, show `title` and `detail`, which come in English or, with\n`Accept-Language: zh-Hans`, in Chinese, as do the details of `errors`. An address that does not take a method answers 405 `methodNotAllowed` with `Allow`; one\nthat does not exist 404 `notFound`.\n\n**Rates.** An account may send 600 requests at once and 20 a second in the long run, an address 6,000 and 200; beyond that it is\nanswered 429 `rateLimited` with `Retry-After`. The pages of shared links count like the API; health, metrics and proofs count apart, 6,000\nat once and 600 a second. For an address, a JSON answer counts as one more request for each 4,096 bytes that it is long. Some\noperations allow less. A refusal of an address ends its connection, unless a proxy stands between. An address opens 600 connections\nat once and 40 a second, an IPv6 /48 four times as many.\n\n**Texts** are counted in Unicode code points. The format `line` means: no control characters, no line ends, no controls\nof writing direction, and at least one visible character where it may not be empty. The format `lines` allows line ends and tabs as\nwell, and controls of writing direction that are closed on their line. Code points that are no characters are refused in both.\n"
 },
 "servers": [
  {
   "url": "/",
   "description": "This server."
  }
 ],
 "tags": [
  {
   "name": "Sign in",
   "description": "A phone number is an account."
  },
  {
   "name": "Me",
   "description": "What an account sees and says of itself."
  },
  {
   "name": "Discover",
   "description": "Shops and campaigns, for anyone."
  },
  {
   "name": "Collect",
   "description": "Cards, stamps, rewards."
  },
  {
   "name": "Shop",
   "description": "For a shop's owner and staff."
  },
  {
   "name": "Reviews",
   "description": "Ratings and threads."
  },
  {
   "name": "Images",
   "description": "Pictures of shops and campaigns."
  },
  {
   "name": "Live",
   "description": "Server-Sent Events."
  },
  {
   "name": "Proof",
   "description": "The log as a transparency log: C2SP tlog-tiles, checkpoints and receipts."
  },
  {
   "name": "Operate",
   "description": "For those who run the service."
  },
  {
   "name": "Pages",
   "description": "What shared links and scanned codes open in a browser."
  },
  {
   "name": "Description",
   "description": "This page and its sources."
  }
 ],
 "paths": {
  "/v1/verifications": {
   "post": {
    "operationId": "beginVerification",
    "tags": [
     "Sign in"
    ],
    "summary": "Send a code to a phone",
    "description": "Six digits by text message, good for five minutes; whoever asked has five tries. Asking again within that time gives the same code and the same `expiresAt`; a message leaves once a minute at most. How many leave in a day is limited by number, by network and in total, and messages may be limited to some countries. The answer is the same whether or not the phone is known.",
    "x-who": "anyone",
    "security": [],
    "requestBody": {
     "$ref": "#/components/requestBodies/Verification"
    },
    "responses": {
     "202": {
      "description": "The code is on its way.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/VerificationSent"
        }
       }
      },
      "links": {
       "signIn": {
        "operationId": "signIn",
        "requestBody": {
         "phone": "$request.body#/phone",
         "code": "$response.body#/devCode"
        },
        "description": "In development mode, the answer carries the code."
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded"
     }
    }
   }
  },
  "/v1/sessions": {
   "post": {
    "operationId": "signIn",
    "tags": [
     "Sign in"
    ],
    "summary": "Sign in",
    "description": "With the code that was sent to the phone, or with a password. The first code of a phone registers its account. An `Idempotency-Key` is good for five minutes, as long as the session goes on and the service is not restarted: the answer holds secrets that are stored nowhere. Wrong codes are counted by the network that they come from: they make that network wait, and never make the right code fail. Ten wrong passwords for one phone from one network within ten minutes, or thirty from one address, and it has to wait; right ones are counted too, since each costs the service much. Twenty sessions of an account are open at most; the oldest ends for the next.",
    "x-who": "anyone",
    "security": [],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/SignIn"
    },
    "responses": {
     "201": {
      "description": "Signed in.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       },
       "Cache-Control": {
        "$ref": "#/components/headers/NoStore"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Session"
        }
       }
      },
      "links": {
       "refresh": {
        "operationId": "refreshSession",
        "requestBody": {
         "refreshToken": "$response.body#/refreshToken"
        },
        "description": "The refresh token gets the next pair of tokens, once."
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/verificationNotValid-idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   },
   "delete": {
    "operationId": "signOutEverywhere",
    "tags": [
     "Sign in"
    ],
    "summary": "Sign out everywhere",
    "description": "Ends all sessions of the account, this one included.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Signed out.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/sessions/refresh": {
   "post": {
    "operationId": "refreshSession",
    "tags": [
     "Sign in"
    ],
    "summary": "Refresh a session",
    "description": "Each refresh token works once. Within ten seconds the same token gets the same answer again, so that two tabs may refresh at once; after that, or after a restart of the service, its use ends the session and everything that came of it. Send an `Idempotency-Key`: with it, whoever lost the answer gets the same pair of tokens again, for five minutes, as long as the session goes on and the service is not restarted.",
    "x-who": "anyone",
    "security": [],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Refresh"
    },
    "responses": {
     "201": {
      "description": "Signed in.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       },
       "Cache-Control": {
        "$ref": "#/components/headers/NoStore"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Session"
        }
       }
      },
      "links": {
       "refresh": {
        "operationId": "refreshSession",
        "requestBody": {
         "refreshToken": "$response.body#/refreshToken"
        },
        "description": "The refresh token gets the next pair of tokens, once."
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/sessions/current": {
   "delete": {
    "operationId": "signOut",
    "tags": [
     "Sign in"
    ],
    "summary": "Sign out here",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Signed out.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me": {
   "get": {
    "operationId": "getMe",
    "tags": [
     "Me"
    ],
    "summary": "My account",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The account.",
      "headers": {
       "ETag": {
        "$ref": "#/components/headers/ETag"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Account"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   },
   "patch": {
    "operationId": "editMe",
    "tags": [
     "Me"
    ],
    "summary": "Edit my profile",
    "description": "Fields that are left out stay as they are; `null` clears one. `If-Match` is optional here, since nobody else edits it. Sixty edits within ten minutes, and the account has to wait; one that sets nothing does not count.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     },
     {
      "$ref": "#/components/parameters/IfMatch"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Profile"
    },
    "responses": {
     "200": {
      "description": "The account as it is now.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "ETag": {
        "$ref": "#/components/headers/ETag"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Account"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "412": {
      "$ref": "#/components/responses/versionConflict"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   },
   "delete": {
    "operationId": "eraseMe",
    "tags": [
     "Me"
    ],
    "summary": "Erase my account",
    "description": "Destroys the key of my personal data and ends all sessions. Cards, stamps and ratings still count, without a name. The phone can register anew. A shop that I own closes with me: its campaigns end, its contact data is destroyed, and its staff may redeem full cards for 30 days.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Erased.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me/password": {
   "put": {
    "operationId": "setPassword",
    "tags": [
     "Me"
    ],
    "summary": "Set or change my password",
    "description": "Ends all other sessions. Either `code`, which `POST /verifications` sent to the account's own number, or the password that there is as `current`; the first password needs a code. A wrong one is `verificationNotValid`. Where both are sent, the code counts.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Password"
    },
    "responses": {
     "204": {
      "description": "Set.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/verificationNotValid-idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   },
   "delete": {
    "operationId": "removePassword",
    "tags": [
     "Me"
    ],
    "summary": "Take my password away",
    "description": "From then on a code alone signs in. Sessions go on.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "There is none, or none any more.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me/sessions": {
   "get": {
    "operationId": "listMySessions",
    "tags": [
     "Me"
    ],
    "summary": "Where I am signed in",
    "description": "Newest first, all on one page. `lastSeenAt` is a quarter of an hour late at most. `device` is what the session's client last called itself in `User-Agent`; it is not stored, so after a restart of the service it is null until the client comes again.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The sessions that are open.",
      "headers": {
       "Cache-Control": {
        "$ref": "#/components/headers/NoStore"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/MySessions"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/me/sessions/{id}": {
   "delete": {
    "operationId": "endMySession",
    "tags": [
     "Me"
    ],
    "summary": "Sign out in one place",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/SessionID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "It is over.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me/export": {
   "get": {
    "operationId": "exportMe",
    "tags": [
     "Me"
    ],
    "summary": "Everything that is held about me",
    "description": "Read from the log, so that no read model can leave a thing out; only which notices reached the account a model knows. Ten times in ten minutes; one is made at a time, for whoever it is.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The account's data, its personal fields in the clear.",
      "headers": {
       "Cache-Control": {
        "$ref": "#/components/headers/NoStore"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Export"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-notCaughtUp"
     }
    }
   }
  },
  "/v1/me/cards": {
   "get": {
    "operationId": "listMyCards",
    "tags": [
     "Me"
    ],
    "summary": "My cards, newest first",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "name": "status",
      "in": "query",
      "description": "Some of collecting, full, redeemed and discarded, with commas; collecting and full where it is absent.",
      "schema": {
       "type": "string",
       "pattern": "^(collecting|full|redeemed|discarded)(,(collecting|full|redeemed|discarded)){0,3}$"
      },
      "example": "collecting,full"
     },
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "A page of cards.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CardPage"
        }
       }
      },
      "links": {
       "nextPage": {
        "operationId": "listMyCards",
        "parameters": {
         "cursor": "$response.body#/next"
        }
       },
       "card": {
        "operationId": "getCard",
        "parameters": {
         "id": "$response.body#/items/0/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/me/favorites": {
   "get": {
    "operationId": "listFavorites",
    "tags": [
     "Me"
    ],
    "summary": "My favourite campaigns",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "A page of campaigns.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CampaignPage"
        }
       }
      },
      "links": {
       "campaign": {
        "operationId": "getCampaign",
        "parameters": {
         "id": "$response.body#/items/0/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/me/notices": {
   "get": {
    "operationId": "listNotices",
    "tags": [
     "Me"
    ],
    "summary": "My notices, newest first",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "A page of notices, and how many are unread altogether.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/NoticePage"
        }
       }
      },
      "links": {
       "read": {
        "operationId": "readNotice",
        "parameters": {
         "id": "$response.body#/items/0/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/me/mutes/{shop}": {
   "parameters": [
    {
     "$ref": "#/components/parameters/MyShopID"
    }
   ],
   "put": {
    "operationId": "muteShop",
    "tags": [
     "Me"
    ],
    "summary": "Get no more notices from a shop",
    "description": "What it posts from now on is not received, counted or streamed, also not after the muting ends.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Muted.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   },
   "delete": {
    "operationId": "unmuteShop",
    "tags": [
     "Me"
    ],
    "summary": "Get a shop's notices again",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "What it posts from now on is received.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me/shops": {
   "get": {
    "operationId": "listMyShops",
    "tags": [
     "Me"
    ],
    "summary": "Shops that I own or work for",
    "description": "All of them, my own first.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The shops, with my role.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/WorkplacePage"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/me/invitations": {
   "get": {
    "operationId": "listInvitations",
    "tags": [
     "Me"
    ],
    "summary": "Open offers to me, newest first",
    "description": "A page may hold fewer than asked for, or none, and not be the last; `next` tells.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "A page of offers.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/InvitationPage"
        }
       }
      },
      "links": {
       "accept": {
        "operationId": "acceptInvitation",
        "parameters": {
         "id": "$response.body#/items/0/id"
        }
       },
       "decline": {
        "operationId": "declineInvitation",
        "parameters": {
         "id": "$response.body#/items/0/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/me/invitations/{id}/acceptance": {
   "post": {
    "operationId": "acceptInvitation",
    "tags": [
     "Me"
    ],
    "summary": "Accept an offer",
    "description": "I work there from now on, and neither collect nor redeem nor review there.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/InvitationID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "I work there.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/offerNotOpen"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me/invitations/{id}": {
   "delete": {
    "operationId": "declineInvitation",
    "tags": [
     "Me"
    ],
    "summary": "Decline an offer",
    "description": "Declining it again, or one that was withdrawn, changes nothing.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/InvitationID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Declined.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/offerNotOpen"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me/employments/{shop}": {
   "delete": {
    "operationId": "leaveShop",
    "tags": [
     "Me"
    ],
    "summary": "Work for a shop no more",
    "description": "My open codes there are destroyed. The owner cannot leave.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MyShopID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "I do not work there.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me/notices/{id}/read": {
   "put": {
    "operationId": "readNotice",
    "tags": [
     "Me"
    ],
    "summary": "Mark a notice as read",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/NoticeID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Read.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/feedback": {
   "post": {
    "operationId": "giveFeedback",
    "tags": [
     "Me"
    ],
    "summary": "Tell the operator something",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Feedback"
    },
    "responses": {
     "202": {
      "description": "Taken down.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/FeedbackTaken"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/campaigns": {
   "get": {
    "operationId": "listCampaigns",
    "tags": [
     "Discover"
    ],
    "summary": "Find campaigns",
    "description": "Near a place, by words in any script, of one shop, running now. With `near`, each item has its `distance` in metres on the great circle, and `sort=distance` is possible.",
    "x-who": "anyone",
    "security": [
     {},
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/Near"
     },
     {
      "$ref": "#/components/parameters/Radius"
     },
     {
      "$ref": "#/components/parameters/Query"
     },
     {
      "name": "kind",
      "in": "query",
      "schema": {
       "$ref": "#/components/schemas/CampaignKind"
      }
     },
     {
      "name": "shop",
      "in": "query",
      "schema": {
       "$ref": "#/components/schemas/ShopID"
      }
     },
     {
      "name": "running",
      "in": "query",
      "description": "Whether it has to be running now.",
      "schema": {
       "type": "string",
       "enum": [
        "true",
        "false"
       ]
      }
     },
     {
      "name": "sort",
      "in": "query",
      "description": "By distance where a place is named, else the newest first.",
      "schema": {
       "type": "string",
       "enum": [
        "distance",
        "newest",
        "popular"
       ]
      }
     },
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "A page of campaigns.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CampaignPage"
        }
       }
      },
      "links": {
       "nextPage": {
        "operationId": "listCampaigns",
        "parameters": {
         "cursor": "$response.body#/next"
        }
       },
       "campaign": {
        "operationId": "getCampaign",
        "parameters": {
         "id": "$response.body#/items/0/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/campaigns/{id}": {
   "parameters": [
    {
     "$ref": "#/components/parameters/CampaignID"
    }
   ],
   "get": {
    "operationId": "getCampaign",
    "tags": [
     "Discover"
    ],
    "summary": "A campaign's page",
    "x-who": "anyone",
    "security": [
     {},
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The campaign.",
      "headers": {
       "ETag": {
        "$ref": "#/components/headers/ETag"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CampaignDetails"
        }
       }
      },
      "links": {
       "shop": {
        "operationId": "getShop",
        "parameters": {
         "id": "$response.body#/shop/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   },
   "patch": {
    "operationId": "editCampaign",
    "tags": [
     "Shop"
    ],
    "summary": "Edit a campaign",
    "description": "Fields that are left out stay as they are. A changed goal holds for cards that open later.",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     },
     {
      "$ref": "#/components/parameters/RequiredIfMatch"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/CampaignEdit"
    },
    "responses": {
     "200": {
      "description": "The campaign as it is now.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "ETag": {
        "$ref": "#/components/headers/ETag"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CampaignDetails"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "412": {
      "$ref": "#/components/responses/versionConflict"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "428": {
      "$ref": "#/components/responses/preconditionRequired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/shops": {
   "get": {
    "operationId": "listShops",
    "tags": [
     "Discover"
    ],
    "summary": "Find shops",
    "description": "Each with the newest of its campaigns that are not over.",
    "x-who": "anyone",
    "security": [
     {},
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/Near"
     },
     {
      "$ref": "#/components/parameters/Radius"
     },
     {
      "$ref": "#/components/parameters/Query"
     },
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "A page of shops.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ShopPage"
        }
       }
      },
      "links": {
       "nextPage": {
        "operationId": "listShops",
        "parameters": {
         "cursor": "$response.body#/next"
        }
       },
       "shop": {
        "operationId": "getShop",
        "parameters": {
         "id": "$response.body#/items/0/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   },
   "post": {
    "operationId": "openShop",
    "tags": [
     "Shop"
    ],
    "summary": "Open a shop",
    "description": "The account becomes a merchant. An account opens one shop.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Shop"
    },
    "responses": {
     "201": {
      "description": "Open.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Shop"
        }
       }
      },
      "links": {
       "shop": {
        "operationId": "getShop",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "publish": {
        "operationId": "publishCampaign",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "review": {
        "operationId": "postReview",
        "parameters": {
         "id": "$response.body#/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "409": {
      "$ref": "#/components/responses/alreadyMerchant"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/shops/{id}": {
   "parameters": [
    {
     "$ref": "#/components/parameters/ShopID"
    }
   ],
   "get": {
    "operationId": "getShop",
    "tags": [
     "Discover"
    ],
    "summary": "A shop's page",
    "x-who": "anyone",
    "security": [
     {},
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The shop with its campaigns.",
      "headers": {
       "ETag": {
        "$ref": "#/components/headers/ETag"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Shop"
        }
       }
      },
      "links": {
       "campaign": {
        "operationId": "getCampaign",
        "parameters": {
         "id": "$response.body#/campaigns/0/id"
        }
       },
       "reviews": {
        "operationId": "listReviews",
        "parameters": {
         "id": "$response.body#/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   },
   "patch": {
    "operationId": "editShop",
    "tags": [
     "Shop"
    ],
    "summary": "Edit a shop",
    "description": "Fields that are left out stay as they are.",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     },
     {
      "$ref": "#/components/parameters/RequiredIfMatch"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/ShopEdit"
    },
    "responses": {
     "200": {
      "description": "The shop as it is now.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "ETag": {
        "$ref": "#/components/headers/ETag"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Shop"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "412": {
      "$ref": "#/components/responses/versionConflict"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "428": {
      "$ref": "#/components/responses/preconditionRequired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/campaigns/{id}/favorite": {
   "parameters": [
    {
     "$ref": "#/components/parameters/CampaignID"
    }
   ],
   "put": {
    "operationId": "addFavorite",
    "tags": [
     "Discover"
    ],
    "summary": "Make a campaign a favourite",
    "description": "An account may change what it keeps 300 times in ten minutes; what changes nothing does not count.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "It is one now.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   },
   "delete": {
    "operationId": "removeFavorite",
    "tags": [
     "Discover"
    ],
    "summary": "No longer a favourite",
    "description": "Counted as adding one is.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "It is none now.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/stamps": {
   "post": {
    "operationId": "enterStampCode",
    "tags": [
     "Collect"
    ],
    "summary": "Enter a stamp code",
    "description": "Adds the code's stamps to my collecting card of its campaign, opens a card where there is none, and puts what goes beyond the goal on a new one. A code that is unknown, used, destroyed, expired, or of another campaign is answered alike. Ten that nobody issued within ten minutes, and the account has to wait.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/RequiredIdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Stamp"
    },
    "responses": {
     "201": {
      "description": "Stamped.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Stamped"
        }
       }
      },
      "links": {
       "card": {
        "operationId": "getCard",
        "parameters": {
         "id": "$response.body#/card/id"
        }
       },
       "redeem": {
        "operationId": "requestRedemption",
        "parameters": {
         "id": "$response.body#/card/id"
        }
       },
       "receipt": {
        "operationId": "getReceipt",
        "parameters": {
         "position": "$response.body#/position"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest-idempotencyKeyRequired"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/ownCampaign-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/campaignNotRunning"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/codeNotValid-idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/cards/{id}": {
   "parameters": [
    {
     "$ref": "#/components/parameters/CardID"
    }
   ],
   "get": {
    "operationId": "getCard",
    "tags": [
     "Collect"
    ],
    "summary": "One of my cards, with its history",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The card.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Card"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   },
   "delete": {
    "operationId": "discardCard",
    "tags": [
     "Collect"
    ],
    "summary": "Throw a card away",
    "description": "The card stays readable, as discarded.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Thrown away.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/cards/{id}/redemption": {
   "post": {
    "operationId": "requestRedemption",
    "tags": [
     "Collect"
    ],
    "summary": "Ask for a redemption code",
    "description": "For a full card; good for five minutes. A newer one ends the older. Ten for one card within ten minutes, and it has to wait.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/CardID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "201": {
      "description": "The code, to be shown at the counter.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       },
       "Cache-Control": {
        "$ref": "#/components/headers/NoStore"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/RedemptionCode"
        }
       }
      },
      "links": {
       "status": {
        "operationId": "getRedemption",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "preview": {
        "operationId": "previewRedemption",
        "requestBody": {
         "code": "$response.body#/code"
        }
       },
       "redeem": {
        "operationId": "redeem",
        "requestBody": {
         "code": "$response.body#/code"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/ownCampaign-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/cardNotFull"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/redemptions/{id}": {
   "get": {
    "operationId": "getRedemption",
    "tags": [
     "Collect"
    ],
    "summary": "What became of a redemption",
    "description": "For the card's holder, and for the shop's owner and staff.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/RedemptionID"
     },
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The redemption.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Redemption"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/shops/{id}/staff": {
   "get": {
    "operationId": "listStaff",
    "tags": [
     "Shop"
    ],
    "summary": "Who works at a shop",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/ShopID"
     },
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The owner and the staff.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Staff"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/shops/{id}/staff/{account}": {
   "parameters": [
    {
     "$ref": "#/components/parameters/ShopID"
    },
    {
     "$ref": "#/components/parameters/AccountID"
    }
   ],
   "put": {
    "operationId": "inviteStaff",
    "tags": [
     "Shop"
    ],
    "summary": "Offer an account to work here",
    "description": "Nothing changes for the account until it accepts, within seven days. The answer is the same whether or not there is such an account. Staff may issue codes and redeem; nobody collects where they work. Sixty offers within a day, and the owner has to wait. Their own id, which GET /me shows, is what somebody tells the owner.",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "202": {
      "description": "Offered, or so already.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Offered"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   },
   "delete": {
    "operationId": "removeStaff",
    "tags": [
     "Shop"
    ],
    "summary": "End an account's work here, or an open offer to it",
    "description": "Codes that they issued here and that are open are destroyed.",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "They no longer work there.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/shops/{id}/invitations": {
   "parameters": [
    {
     "$ref": "#/components/parameters/ShopID"
    }
   ],
   "get": {
    "operationId": "listOffers",
    "tags": [
     "Shop"
    ],
    "summary": "A shop's open offers",
    "description": "All of them, those that lapse last first. Whom they are for is not said.",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The offers.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/OfferPage"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   },
   "post": {
    "operationId": "invitePhone",
    "tags": [
     "Shop"
    ],
    "summary": "Offer whoever has a phone number to work here",
    "description": "As for an account. The answer is the same whether or not the number is known; an offer to an unknown one reaches nobody, also not whoever registers it later.",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Verification"
    },
    "responses": {
     "202": {
      "description": "Offered, or so already.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Offered"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/shops/{id}/invitations/{invitation}": {
   "delete": {
    "operationId": "withdrawOffer",
    "tags": [
     "Shop"
    ],
    "summary": "Withdraw an open offer",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/ShopID"
     },
     {
      "$ref": "#/components/parameters/OfferID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Withdrawn.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/offerNotOpen"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/shops/{id}/campaigns": {
   "post": {
    "operationId": "publishCampaign",
    "tags": [
     "Shop"
    ],
    "summary": "Publish a campaign",
    "description": "At most 100 campaigns of a shop may run or be about to, and it can have 1,000 in all; one more is refused as invalid, naming no field.",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/ShopID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Campaign"
    },
    "responses": {
     "201": {
      "description": "Published.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CampaignDetails"
        }
       }
      },
      "links": {
       "campaign": {
        "operationId": "getCampaign",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "issue": {
        "operationId": "issueCode",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "end": {
        "operationId": "endCampaign",
        "parameters": {
         "id": "$response.body#/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/campaigns/{id}/end": {
   "post": {
    "operationId": "endCampaign",
    "tags": [
     "Shop"
    ],
    "summary": "End a campaign now",
    "description": "Full cards can still be redeemed. Ending it again changes nothing.",
    "x-who": "owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/CampaignID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "200": {
      "description": "The campaign, over.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CampaignDetails"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/campaignNotRunning"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/campaigns/{id}/codes": {
   "post": {
    "operationId": "issueCode",
    "tags": [
     "Shop"
    ],
    "summary": "Issue a stamp code",
    "description": "To be shown to a customer who has paid. It works once. The body may be left out.",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/CampaignID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Code"
    },
    "responses": {
     "201": {
      "description": "The code.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       },
       "Cache-Control": {
        "$ref": "#/components/headers/NoStore"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/StampCode"
        }
       }
      },
      "links": {
       "status": {
        "operationId": "getCode",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "destroy": {
        "operationId": "destroyCode",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "stamp": {
        "operationId": "enterStampCode",
        "requestBody": {
         "code": "$response.body#/code"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/campaignNotRunning"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/codes/{id}": {
   "parameters": [
    {
     "$ref": "#/components/parameters/CodeID"
    }
   ],
   "get": {
    "operationId": "getCode",
    "tags": [
     "Shop"
    ],
    "summary": "What became of a stamp code",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The code's state; the code itself was shown once.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/CodeState"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   },
   "delete": {
    "operationId": "destroyCode",
    "tags": [
     "Shop"
    ],
    "summary": "Destroy an open stamp code",
    "description": "It stays readable, as destroyed. Destroying it again changes nothing.",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Destroyed.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/codeNotOpen"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/redemptions/preview": {
   "post": {
    "operationId": "previewRedemption",
    "tags": [
     "Shop"
    ],
    "summary": "Look at a redemption code",
    "description": "Shows the reward and the card without redeeming it. Anything wrong with it, another shop's included, is answered alike.",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Redemption"
    },
    "responses": {
     "200": {
      "description": "What the code is good for.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Preview"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/redemptionNotValid"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/v1/redemptions": {
   "post": {
    "operationId": "redeem",
    "tags": [
     "Shop"
    ],
    "summary": "Redeem",
    "description": "Hands out the reward. Works once, for the newest code of a full card of this shop.",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/RequiredIdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Redemption"
    },
    "responses": {
     "201": {
      "description": "Redeemed.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Redeemed"
        }
       }
      },
      "links": {
       "status": {
        "operationId": "getRedemption",
        "parameters": {
         "id": "$response.body#/redemption/id"
        }
       },
       "reverse": {
        "operationId": "reverseRedemption",
        "parameters": {
         "id": "$response.body#/redemption/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest-idempotencyKeyRequired"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-ownCampaign-suspended"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/redemptionNotValid-idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/redemptions/{id}/reversal": {
   "post": {
    "operationId": "reverseRedemption",
    "tags": [
     "Shop"
    ],
    "summary": "Take a redemption back",
    "description": "Within 24 hours, once; the card is full again, also where its holder threw it away since.",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/RedemptionID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Reason"
    },
    "responses": {
     "200": {
      "description": "Taken back.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Redeemed"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-ownCampaign-suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "409": {
      "$ref": "#/components/responses/notReversible"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/shops/{id}/statistics": {
   "get": {
    "operationId": "getStatistics",
    "tags": [
     "Shop"
    ],
    "summary": "A shop's figures by day",
    "description": "Both ends are included; at most 367 days, 30 where one end or both are absent.",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/ShopID"
     },
     {
      "name": "from",
      "in": "query",
      "description": "The first day.",
      "schema": {
       "type": "string",
       "format": "date"
      }
     },
     {
      "name": "to",
      "in": "query",
      "description": "The last day.",
      "schema": {
       "type": "string",
       "format": "date"
      }
     },
     {
      "name": "timeZone",
      "in": "query",
      "description": "Whose days are meant, by its IANA name; Asia/Shanghai where it is absent.",
      "schema": {
       "type": "string"
      },
      "example": "Asia/Shanghai"
     },
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The figures.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Statistics"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/shops/{id}/analytics": {
   "get": {
    "operationId": "getAnalytics",
    "tags": [
     "Shop"
    ],
    "summary": "Who comes back, and which cards are left",
    "description": "Weekly cohort retention, repeat-visit rate, time to fill a card, the share of cards left at each count of stamps, and a campaign's weeks beside those before it. A visit is a quarter of an hour in which a customer's cards were stamped; weeks of cohorts begin on Monday. Both ends of the period are included; at most 738 days, 182 where one end or both are absent. A report reads every card of the shop, each customer's first visit and the visits of the period, together at most 1,000,000 rows; beyond that it is refused with `invalidRequest` on `from`.",
    "x-who": "merchant",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/ShopID"
     },
     {
      "name": "from",
      "in": "query",
      "description": "The first day.",
      "schema": {
       "type": "string",
       "format": "date"
      }
     },
     {
      "name": "to",
      "in": "query",
      "description": "The last day.",
      "schema": {
       "type": "string",
       "format": "date"
      }
     },
     {
      "name": "timeZone",
      "in": "query",
      "description": "Whose days are meant, by its IANA name; Asia/Shanghai where it is absent.",
      "schema": {
       "type": "string"
      },
      "example": "Asia/Shanghai"
     },
     {
      "name": "idleDays",
      "in": "query",
      "description": "Days without a stamp after which a card that is not full counts as left.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 738,
       "default": 60
      }
     },
     {
      "name": "campaign",
      "in": "query",
      "description": "A campaign of the shop, running or over, whose weeks are asked for; without it there is no effect.",
      "schema": {
       "$ref": "#/components/schemas/CampaignID"
      }
     },
     {
      "name": "weeks",
      "in": "query",
      "description": "Weeks before the campaign and after it.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 26,
       "default": 8
      }
     },
     {
      "$ref": "#/components/parameters/MinPosition"
     }
    ],
    "responses": {
     "200": {
      "description": "The figures.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Analytics"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/shops/{id}/reviews": {
   "parameters": [
    {
     "$ref": "#/components/parameters/ShopID"
    }
   ],
   "get": {
    "operationId": "listReviews",
    "tags": [
     "Reviews"
    ],
    "summary": "A shop's reviews, newest first, each with its thread",
    "x-who": "anyone",
    "security": [],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "A page of reviews.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/ReviewPage"
        }
       }
      },
      "links": {
       "nextPage": {
        "operationId": "listReviews",
        "parameters": {
         "id": "$request.path.id",
         "cursor": "$response.body#/next"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   },
   "post": {
    "operationId": "postReview",
    "tags": [
     "Reviews"
    ],
    "summary": "Review a shop",
    "description": "A rating, a text, or both. A rating replaces my earlier one for this shop. Thirty in ten minutes.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Review"
    },
    "responses": {
     "201": {
      "description": "Said.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Review"
        }
       }
      },
      "links": {
       "reply": {
        "operationId": "postReply",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "remove": {
        "operationId": "removeReview",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "reviews": {
        "operationId": "listReviews",
        "parameters": {
         "id": "$response.body#/shop"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/ownShop"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/reviews/{id}/replies": {
   "post": {
    "operationId": "postReply",
    "tags": [
     "Reviews"
    ],
    "summary": "Reply to a review or a reply",
    "description": "Threads are at most eight deep.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/ReviewID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Reply"
    },
    "responses": {
     "201": {
      "description": "Said.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Review"
        }
       }
      },
      "links": {
       "reply": {
        "operationId": "postReply",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "remove": {
        "operationId": "removeReview",
        "parameters": {
         "id": "$response.body#/id"
        }
       },
       "reviews": {
        "operationId": "listReviews",
        "parameters": {
         "id": "$response.body#/shop"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/suspended"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/reviews/{id}": {
   "delete": {
    "operationId": "removeReview",
    "tags": [
     "Reviews"
    ],
    "summary": "Remove a review or a reply",
    "description": "Its author or an operator does. Answers to it stay; its text and its rating go.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/ReviewID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Removed.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/images": {
   "post": {
    "operationId": "uploadImage",
    "tags": [
     "Images"
    ],
    "summary": "Upload a picture",
    "description": "JPEG, PNG or WebP by its content, at most 8 MiB. It is encoded anew without its metadata. It belongs to the account that sends it: nobody else may show it, or take it down. The same picture of the same account has the same id, so this id says nothing of when. What nothing shows goes after a day. A picture that an operator took down is refused. Of one account two are received at once; each must be there within ten minutes and keep a rate of 4 kB a second.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "image/jpeg": {
       "schema": {}
      },
      "image/png": {
       "schema": {}
      },
      "image/webp": {
       "schema": {}
      }
     }
    },
    "responses": {
     "201": {
      "description": "Stored.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Image"
        }
       }
      },
      "links": {
       "image": {
        "operationId": "getImage",
        "parameters": {
         "id": "$response.body#/id"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/images/{id}": {
   "get": {
    "operationId": "getImage",
    "tags": [
     "Images"
    ],
    "summary": "A picture",
    "description": "It never changes; it may be taken down, and goes with the account that shows it. What a shop or a campaign shows may be kept for a day by anybody, so that one that was taken down may be seen that long; any other picture, such as one of a person, for five minutes by its viewer's own cache.",
    "x-who": "anyone",
    "security": [],
    "parameters": [
     {
      "$ref": "#/components/parameters/ImageID"
     },
     {
      "name": "width",
      "in": "query",
      "description": "The smallest thumbnail that is so many pixels wide; the picture itself where none is.",
      "schema": {
       "type": "integer",
       "format": "int64",
       "minimum": 1,
       "maximum": 9223372036854775807
      }
     }
    ],
    "responses": {
     "200": {
      "description": "The picture.",
      "headers": {
       "Cache-Control": {
        "$ref": "#/components/headers/Cached"
       },
       "ETag": {
        "description": "Names the picture in this size.",
        "schema": {
         "type": "string"
        }
       }
      },
      "content": {
       "image/jpeg": {
        "schema": {
         "type": "string",
         "contentEncoding": "binary"
        }
       },
       "image/png": {
        "schema": {
         "type": "string",
         "contentEncoding": "binary"
        }
       },
       "image/webp": {
        "schema": {
         "type": "string",
         "contentEncoding": "binary"
        }
       }
      }
     },
     "304": {
      "description": "It is the one that `If-None-Match` names."
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   },
   "delete": {
    "operationId": "takeDownImage",
    "tags": [
     "Images"
    ],
    "summary": "Take a picture down",
    "description": "An operator does, or the account that sent it, whatever shows it. The picture and its thumbnails are removed, and its address answers 404. What names it still does, until its owner edits that; an edit cannot name it again, but the same picture may be sent again, unless an operator took it down: that concerns every copy of the same bytes. A picture that was sent before pictures had senders is taken down by the account that alone shows it.",
    "x-who": "owner,operator",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/ImageID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "responses": {
     "204": {
      "description": "Taken down.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/me/events": {
   "get": {
    "operationId": "followEvents",
    "tags": [
     "Live"
    ],
    "summary": "What happens to me, as it happens",
    "description": "Server-Sent Events: my cards, redemptions and notices; for merchants the codes and redemptions of their shop. The id of each is its position; `Last-Event-ID` goes on behind it without a gap. A comment now and then keeps the connection alive.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "name": "Last-Event-ID",
      "in": "header",
      "description": "The position behind which to go on.",
      "schema": {
       "type": "string",
       "pattern": "^[0-9]{1,19}$"
      }
     },
     {
      "name": "lastEventId",
      "in": "query",
      "description": "The same, for clients that cannot set the header; where both are given, the header counts.",
      "schema": {
       "type": "string"
      }
     }
    ],
    "responses": {
     "200": {
      "description": "A stream that does not end.",
      "content": {
       "text/event-stream": {
        "schema": {
         "$ref": "#/components/schemas/LiveEvent"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded"
     }
    }
   }
  },
  "/v1/stamps/{position}/receipt": {
   "get": {
    "operationId": "getReceipt",
    "tags": [
     "Proof"
    ],
    "summary": "The proof of one of my stamps",
    "description": "A C2SP tlog-proof. Whoever has it and the log's public key can check it without this service.",
    "x-who": "account",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/Position"
     }
    ],
    "responses": {
     "200": {
      "description": "The proof.",
      "headers": {
       "Cache-Control": {
        "$ref": "#/components/headers/Cached"
       }
      },
      "content": {
       "text/plain; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/checkpoint": {
   "get": {
    "operationId": "getCheckpoint",
    "tags": [
     "Proof"
    ],
    "summary": "The log's newest signed checkpoint",
    "x-who": "anyone",
    "security": [],
    "responses": {
     "200": {
      "description": "A C2SP tlog-checkpoint.",
      "headers": {
       "Cache-Control": {
        "$ref": "#/components/headers/Cached"
       }
      },
      "content": {
       "text/plain; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/tile/{path}": {
   "get": {
    "operationId": "getTile",
    "tags": [
     "Proof"
    ],
    "summary": "A tile of the log's tree",
    "description": "C2SP tlog-tiles: `/tile/0/000`, `/tile/1/x001/234.p/5` and so on; the path has several segments. Tiles of hashes are for anyone. Tiles of entries, `/tile/entries/…`, show events and are for operators.",
    "x-who": "anyone",
    "security": [],
    "parameters": [
     {
      "name": "path",
      "in": "path",
      "required": true,
      "description": "Level, index and width; slashes are not escaped.",
      "schema": {
       "type": "string"
      },
      "example": "0/000"
     }
    ],
    "responses": {
     "200": {
      "description": "Hashes of 32 bytes each, or entries with their lengths.",
      "headers": {
       "Cache-Control": {
        "$ref": "#/components/headers/Cached"
       }
      },
      "content": {
       "application/octet-stream": {
        "schema": {
         "type": "string",
         "contentEncoding": "binary"
        }
       }
      }
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/v1/notices": {
   "post": {
    "operationId": "postNotice",
    "tags": [
     "Operate"
    ],
    "summary": "Send a notice",
    "description": "An operator to all, a shop's owner to those who hold cards there (`audience` `shop`). Ten in ten minutes.",
    "x-who": "operator,owner",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Notice"
    },
    "responses": {
     "201": {
      "description": "Sent.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Notice"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden-suspended"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/admin/cards/{id}/adjustments": {
   "post": {
    "operationId": "adjustCard",
    "tags": [
     "Operate"
    ],
    "summary": "Correct a card",
    "description": "Adds or takes stamps by a compensating event. A card never has less than none or more than its goal. Each request is a correction of its own: one that is sent twice, because its answer was lost, counts twice. So send an `Idempotency-Key`, or, as `If-Match`, the version of the card that you saw: the position of its newest event in quotes, which `GET /v1/admin/events?tag=card:…` shows and the answer here carries as `ETag`; then the second one is answered 412. The reason stands in the card's history, for its holder to read.",
    "x-who": "operator",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/CardID"
     },
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     },
     {
      "$ref": "#/components/parameters/IfMatch"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Adjustment"
    },
    "responses": {
     "201": {
      "description": "Corrected.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       },
       "Location": {
        "$ref": "#/components/headers/Location"
       },
       "ETag": {
        "$ref": "#/components/headers/ETag"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Adjusted"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "412": {
      "$ref": "#/components/responses/versionConflict"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/admin/shops/{id}/suspension": {
   "parameters": [
    {
     "$ref": "#/components/parameters/ShopID"
    }
   ],
   "post": {
    "operationId": "suspendShop",
    "tags": [
     "Operate"
    ],
    "summary": "Suspend a shop",
    "description": "Until it is reinstated full cards are redeemed there, and nothing else happens.",
    "x-who": "operator",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Reason"
    },
    "responses": {
     "204": {
      "description": "Suspended.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   },
   "delete": {
    "operationId": "reinstateShop",
    "tags": [
     "Operate"
    ],
    "summary": "Reinstate a shop",
    "x-who": "operator",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/IdempotencyKey"
     }
    ],
    "requestBody": {
     "$ref": "#/components/requestBodies/Reinstatement"
    },
    "responses": {
     "204": {
      "description": "Reinstated.",
      "headers": {
       "GreenTea-Position": {
        "$ref": "#/components/headers/GreenTea-Position"
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "404": {
      "$ref": "#/components/responses/notFound"
     },
     "413": {
      "$ref": "#/components/responses/tooLarge"
     },
     "415": {
      "$ref": "#/components/responses/unsupportedMediaType"
     },
     "422": {
      "$ref": "#/components/responses/idempotencyKeyReused"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/overloaded-stopping"
     }
    }
   }
  },
  "/v1/admin/feedback": {
   "get": {
    "operationId": "listFeedback",
    "tags": [
     "Operate"
    ],
    "summary": "What people told the operator",
    "description": "Newest first. Of whoever was erased since, the text is null.",
    "x-who": "operator",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "Some feedback.",
      "headers": {
       "Cache-Control": {
        "$ref": "#/components/headers/NoStore"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/FeedbackPage"
        }
       }
      },
      "links": {
       "nextPage": {
        "operationId": "listFeedback",
        "parameters": {
         "cursor": "$response.body#/next"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/v1/admin/events": {
   "get": {
    "operationId": "listEvents",
    "tags": [
     "Operate"
    ],
    "summary": "The log",
    "description": "Events in the order of their positions, sealed fields sealed.",
    "x-who": "operator",
    "security": [
     {
      "bearer": []
     }
    ],
    "parameters": [
     {
      "name": "after",
      "in": "query",
      "description": "The position behind which to begin.",
      "schema": {
       "type": "integer",
       "minimum": 0,
       "maximum": 18446744073709551615
      }
     },
     {
      "name": "tag",
      "in": "query",
      "description": "Only events with this tag, a kind and an id.",
      "schema": {
       "type": "string"
      },
      "example": "card:card_01kahr3t1rfhmv4k8d2x6c0w5z"
     },
     {
      "name": "type",
      "in": "query",
      "description": "Only events of this type.",
      "schema": {
       "type": "string"
      },
      "example": "CardStamped"
     },
     {
      "$ref": "#/components/parameters/MinPosition"
     },
     {
      "$ref": "#/components/parameters/Limit"
     },
     {
      "$ref": "#/components/parameters/Cursor"
     }
    ],
    "responses": {
     "200": {
      "description": "Some events.",
      "headers": {
       "Cache-Control": {
        "$ref": "#/components/headers/NoStore"
       }
      },
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/EventPage"
        }
       }
      },
      "links": {
       "nextPage": {
        "operationId": "listEvents",
        "parameters": {
         "cursor": "$response.body#/next"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/invalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/unauthenticated-tokenExpired"
     },
     "403": {
      "$ref": "#/components/responses/forbidden"
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "$ref": "#/components/responses/notCaughtUp"
     }
    }
   }
  },
  "/healthz": {
   "get": {
    "operationId": "getHealth",
    "tags": [
     "Operate"
    ],
    "summary": "Whether the process is alive",
    "x-who": "anyone",
    "security": [],
    "responses": {
     "200": {
      "description": "It is.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "required": [
          "status"
         ],
         "properties": {
          "status": {
           "const": "ok"
          }
         }
        },
        "example": {
         "status": "ok"
        }
       }
      }
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/readyz": {
   "get": {
    "operationId": "getReadiness",
    "tags": [
     "Operate"
    ],
    "summary": "Whether requests should come here",
    "description": "Not where it cannot write, or where a read model has stalled, is far behind, or was found to differ from the log.",
    "x-who": "anyone",
    "security": [],
    "responses": {
     "200": {
      "description": "They should.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Readiness"
        }
       }
      }
     },
     "500": {
      "$ref": "#/components/responses/internal"
     },
     "503": {
      "description": "They should not.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Readiness"
        }
       }
      }
     }
    }
   }
  },
  "/metrics": {
   "get": {
    "operationId": "getMetrics",
    "tags": [
     "Operate"
    ],
    "summary": "Figures in Prometheus' text format",
    "x-who": "anyone",
    "security": [],
    "responses": {
     "200": {
      "description": "The figures.",
      "content": {
       "text/plain; version=0.0.4; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/c/{id}": {
   "get": {
    "operationId": "showCampaign",
    "tags": [
     "Pages"
    ],
    "summary": "A campaign, shared",
    "description": "A small page with Open Graph tags, in the reader's language.",
    "x-who": "anyone",
    "security": [],
    "parameters": [
     {
      "$ref": "#/components/parameters/CampaignID"
     }
    ],
    "responses": {
     "200": {
      "description": "The page.",
      "content": {
       "text/html; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "404": {
      "description": "A page that says so.",
      "content": {
       "text/html; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/s/{id}": {
   "get": {
    "operationId": "showShop",
    "tags": [
     "Pages"
    ],
    "summary": "A shop, shared, or a stamp code, scanned",
    "x-who": "anyone",
    "security": [],
    "parameters": [
     {
      "name": "id",
      "in": "path",
      "required": true,
      "description": "A shop's id or a stamp code.",
      "schema": {
       "type": "string",
       "minLength": 1
      }
     }
    ],
    "responses": {
     "200": {
      "description": "The page.",
      "content": {
       "text/html; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "404": {
      "description": "A page that says so.",
      "content": {
       "text/html; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/r/{id}": {
   "get": {
    "operationId": "showRedemptionCode",
    "tags": [
     "Pages"
    ],
    "summary": "A redemption code, scanned",
    "x-who": "anyone",
    "security": [],
    "parameters": [
     {
      "name": "id",
      "in": "path",
      "required": true,
      "description": "A redemption code.",
      "schema": {
       "type": "string",
       "minLength": 1
      }
     }
    ],
    "responses": {
     "200": {
      "description": "The page.",
      "content": {
       "text/html; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "404": {
      "description": "A page that says so.",
      "content": {
       "text/html; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "429": {
      "$ref": "#/components/responses/rateLimited"
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/openapi.yaml": {
   "get": {
    "operationId": "getDescription",
    "tags": [
     "Description"
    ],
    "summary": "This description",
    "x-who": "anyone",
    "security": [],
    "responses": {
     "200": {
      "description": "OpenAPI 3.1 in YAML.",
      "content": {
       "application/yaml": {
        "schema": {
         "type": "object"
        }
       }
      }
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/openapi.json": {
   "get": {
    "operationId": "getDescriptionAsJSON",
    "tags": [
     "Description"
    ],
    "summary": "This description as JSON",
    "x-who": "anyone",
    "security": [],
    "responses": {
     "200": {
      "description": "OpenAPI 3.1 in JSON.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object"
        }
       }
      }
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  },
  "/docs": {
   "get": {
    "operationId": "getDocs",
    "tags": [
     "Description"
    ],
    "summary": "This description as a page",
    "x-who": "anyone",
    "security": [],
    "responses": {
     "200": {
      "description": "A page that needs no script.",
      "content": {
       "text/html; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "500": {
      "$ref": "#/components/responses/internal"
     }
    }
   }
  }
 },
 "components": {
  "securitySchemes": {
   "bearer": {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "The access token of POST /v1/sessions."
   }
  },
  "parameters": {
   "IdempotencyKey": {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Your own name for this request; the same again is answered the same again.",
    "schema": {
     "type": "string",
     "pattern": "^[!-~]{1,255}$"
    },
    "example": "0193c2f0-7a51-7c62-9d38-b8f1c4a2e910"
   },
   "RequiredIdempotencyKey": {
    "name": "Idempotency-Key",
    "in": "header",
    "required": true,
    "description": "Your own name for this request; the same again is answered the same again.",
    "schema": {
     "type": "string",
     "pattern": "^[!-~]{1,255}$"
    },
    "example": "0193c2f0-7a51-7c62-9d38-b8f1c4a2e910"
   },
   "MinPosition": {
    "name": "GreenTea-Min-Position",
    "in": "header",
    "description": "Answer from no earlier position; refused with `notCaughtUp` after two seconds.",
    "schema": {
     "type": "string",
     "pattern": "^[0-9]{1,19}$"
    },
    "example": "0"
   },
   "IfMatch": {
    "name": "If-Match",
    "in": "header",
    "description": "The `ETag` that was read, or `*`.",
    "schema": {
     "type": "string",
     "pattern": "^(\\*|\"[0-9]{1,20}\")$"
    },
    "example": "\"42\""
   },
   "RequiredIfMatch": {
    "name": "If-Match",
    "in": "header",
    "required": true,
    "description": "The `ETag` that was read, or `*`.",
    "schema": {
     "type": "string",
     "pattern": "^(\\*|\"[0-9]{1,20}\")$"
    },
    "example": "\"42\""
   },
   "Limit": {
    "name": "limit",
    "in": "query",
    "description": "Items of the page; 20 where it is absent.",
    "schema": {
     "type": "integer",
     "minimum": 1,
     "maximum": 100,
     "default": 20
    }
   },
   "Cursor": {
    "name": "cursor",
    "in": "query",
    "description": "The `next` of the page before.",
    "schema": {
     "type": "string",
     "pattern": "^[A-Za-z0-9_-]+$",
     "minLength": 34,
     "maxLength": 400
    }
   },
   "Near": {
    "name": "near",
    "in": "query",
    "description": "A place, as latitude and longitude with a comma.",
    "schema": {
     "type": "string",
     "pattern": "^-?([0-8]?[0-9](\\.[0-9]{1,9})?|90(\\.0)?),-?((1[0-7][0-9]|[0-9]{1,2})(\\.[0-9]{1,9})?|180(\\.0)?)$"
    },
    "example": "31.2304,121.4737"
   },
   "Radius": {
    "name": "radius",
    "in": "query",
    "description": "Metres around the place; 5,000 where it is absent.",
    "schema": {
     "type": "number",
     "minimum": 1,
     "maximum": 100000
    }
   },
   "Query": {
    "name": "q",
    "in": "query",
    "description": "Words, or their beginnings, in any script.",
    "schema": {
     "type": "string",
     "maxLength": 100
    },
    "example": "奶茶"
   },
   "Position": {
    "name": "position",
    "in": "path",
    "required": true,
    "description": "A stamp's position in the log.",
    "schema": {
     "type": "integer",
     "minimum": 1
    }
   },
   "AccountID": {
    "name": "account",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/AccountID"
    }
   },
   "ShopID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/ShopID"
    }
   },
   "MyShopID": {
    "name": "shop",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/ShopID"
    }
   },
   "InvitationID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/InvitationID"
    }
   },
   "OfferID": {
    "name": "invitation",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/InvitationID"
    }
   },
   "CampaignID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/CampaignID"
    }
   },
   "CodeID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/CodeID"
    }
   },
   "CardID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/CardID"
    }
   },
   "RedemptionID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/RedemptionID"
    }
   },
   "ReviewID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/ReviewID"
    }
   },
   "SessionID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/SessionID"
    }
   },
   "NoticeID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/NoticeID"
    }
   },
   "ImageID": {
    "name": "id",
    "in": "path",
    "required": true,
    "schema": {
     "$ref": "#/components/schemas/ImageID"
    }
   }
  },
  "headers": {
   "GreenTea-Position": {
    "description": "How far the log had come; a later read may send it as `GreenTea-Min-Position`.",
    "required": true,
    "schema": {
     "type": "string",
     "pattern": "^[0-9]+$"
    }
   },
   "Location": {
    "description": "Where what was made can be seen.",
    "schema": {
     "type": "string"
    }
   },
   "ETag": {
    "description": "The version that was read.",
    "schema": {
     "type": "string",
     "pattern": "^\"[0-9]+\"$"
    }
   },
   "NoStore": {
    "description": "It shows a secret: nobody may keep it.",
    "required": true,
    "schema": {
     "const": "no-store"
    }
   },
   "Cached": {
    "description": "Who may keep it and for how long.",
    "required": true,
    "schema": {
     "type": "string"
    }
   },
   "Retry-After": {
    "description": "Seconds after which to try again.",
    "schema": {
     "type": "string",
     "pattern": "^[0-9]+$"
    }
   },
   "WWW-Authenticate": {
    "description": "As RFC 6750 has it.",
    "required": true,
    "schema": {
     "type": "string"
    }
   },
   "X-Request-ID": {
    "description": "The name under which the operator's log knows this request.",
    "required": true,
    "schema": {
     "type": "string"
    }
   }
  },
  "requestBodies": {
   "Verification": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/VerificationRequest"
      },
      "example": {
       "phone": "+8613800138000"
      }
     }
    }
   },
   "SignIn": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/SessionRequest"
      },
      "examples": {
       "code": {
        "summary": "With a code",
        "value": {
         "phone": "+8613800138000",
         "code": "314159"
        }
       },
       "password": {
        "summary": "With a password",
        "value": {
         "phone": "+8613800138000",
         "password": "correct horse battery staple"
        }
       }
      }
     }
    }
   },
   "Refresh": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/RefreshRequest"
      },
      "example": {
       "refreshToken": "ses_01kahqz8zefx9r4gk0v2d3w5ye.rt_5v0zt8d3k7w1qj9m4x6r2n8c0b"
      }
     }
    }
   },
   "Profile": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ProfileRequest"
      },
      "example": {
       "nickname": "小绿",
       "city": "上海",
       "birthday": "1998-05-20"
      }
     }
    }
   },
   "Password": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/PasswordRequest"
      },
      "example": {
       "new": "correct horse battery staple",
       "code": "123456"
      }
     }
    }
   },
   "Feedback": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/TextRequest"
      },
      "example": {
       "text": "The map shows my shop on the wrong side of the road."
      }
     }
    }
   },
   "Shop": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ShopRequest"
      },
      "example": {
       "name": "好喝奶茶店",
       "phone": "010-1234 5678",
       "address": "南京东路 1 号",
       "location": {
        "latitude": 31.2304,
        "longitude": 121.4737
       }
      }
     }
    }
   },
   "ShopEdit": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ShopEdit"
      },
      "example": {
       "phone": "010-8765 4321"
      }
     }
    }
   },
   "Campaign": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/CampaignRequest"
      },
      "examples": {
       "stampCard": {
        "summary": "A stamp card",
        "value": {
         "kind": "stampCard",
         "title": "Ten cups, the eleventh is free",
         "details": "Any drink counts.",
         "goal": 10,
         "reward": "One free drink",
         "startsAt": "2026-11-01T00:00:00Z",
         "endsAt": "2027-11-01T00:00:00Z"
        }
       },
       "promotion": {
        "summary": "A promotion",
        "value": {
         "kind": "promotion",
         "title": "Second cup at half price",
         "details": "On weekdays before noon.",
         "startsAt": "2026-11-01T00:00:00Z",
         "endsAt": "2026-12-01T00:00:00Z"
        }
       }
      }
     }
    }
   },
   "CampaignEdit": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/CampaignEdit"
      },
      "example": {
       "goal": 8
      }
     }
    }
   },
   "Code": {
    "required": false,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/CodeRequest"
      },
      "example": {
       "stamps": 3,
       "validFor": 600
      }
     }
    }
   },
   "Stamp": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/StampRequest"
      },
      "example": {
       "code": "K7QF-2M9X"
      }
     }
    }
   },
   "Redemption": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/RedemptionRequest"
      },
      "example": {
       "code": "3D8N-WQ5T"
      }
     }
    }
   },
   "Reason": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ReasonRequest"
      },
      "example": {
       "reason": "The wrong card was shown."
      }
     }
    }
   },
   "Reinstatement": {
    "required": false,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ReinstatementRequest"
      },
      "example": {
       "reason": "It was a misunderstanding."
      }
     }
    }
   },
   "Review": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ReviewRequest"
      },
      "example": {
       "rating": 5,
       "text": "很好喝！"
      }
     }
    }
   },
   "Reply": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/TextRequest"
      },
      "example": {
       "text": "谢谢！下次再来。"
      }
     }
    }
   },
   "Notice": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/NoticeRequest"
      },
      "example": {
       "title": "Closed on Monday",
       "text": "We repaint the shop and are back on Tuesday.",
       "audience": "shop"
      }
     }
    }
   },
   "Adjustment": {
    "required": true,
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/AdjustmentRequest"
      },
      "example": {
       "stamps": -1,
       "reason": "Stamped twice for one cup."
      }
     }
    }
   }
  },
  "schemas": {
   "AccountID": {
    "type": "string",
    "pattern": "^acct_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "acct_01kahqz8zefx9r4gk0v2d3w5ye"
    ]
   },
   "ShopID": {
    "type": "string",
    "pattern": "^shop_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "shop_01kahr0b3nf7ttd9c1s8j6x2qa"
    ]
   },
   "CampaignID": {
    "type": "string",
    "pattern": "^camp_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "camp_01kahr1h5yfcrs2v7e4m9z0k3g"
    ]
   },
   "CodeID": {
    "type": "string",
    "pattern": "^code_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "code_01kahr2m8wf3xa6b0t5y1q7n9j"
    ]
   },
   "CardID": {
    "type": "string",
    "pattern": "^card_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "card_01kahr3t1rfhmv4k8d2x6c0w5z"
    ]
   },
   "RedemptionID": {
    "type": "string",
    "pattern": "^rdm_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "rdm_01kahr4y7kfn9e1g5j3s8v2b6m"
    ]
   },
   "InvitationID": {
    "type": "string",
    "pattern": "^inv_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "inv_01kahr5d2xf8w6t0q4n7z9a1ch"
    ]
   },
   "ReviewID": {
    "type": "string",
    "pattern": "^rev_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "rev_01kahr5d2xf8w6t0q4n7z9a1ch"
    ]
   },
   "SessionID": {
    "type": "string",
    "pattern": "^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "ses_01kahr6c3wf2d9t5h8n4q7z1va"
    ]
   },
   "NoticeID": {
    "type": "string",
    "pattern": "^ntc_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "ntc_01kahr6p9vf5b3y7m1k8e2d4xr"
    ]
   },
   "ImageID": {
    "type": "string",
    "pattern": "^img_[0-7][0-9a-hjkmnp-tv-z]{25}$",
    "examples": [
     "img_01kahr7a4sfqj8c2w6t5g0v9ne"
    ]
   },
   "Coordinate": {
    "type": "object",
    "required": [
     "latitude",
     "longitude"
    ],
    "properties": {
     "latitude": {
      "type": "number",
      "minimum": -90,
      "maximum": 90
     },
     "longitude": {
      "type": "number",
      "minimum": -180,
      "maximum": 180
     }
    },
    "examples": [
     {
      "latitude": 31.2304,
      "longitude": 121.4737
     }
    ]
   },
   "Time": {
    "type": "string",
    "format": "date-time",
    "description": "RFC 3339 in UTC with milliseconds.",
    "examples": [
     "2026-11-21T18:00:00.000Z"
    ]
   },
   "Phone": {
    "type": "string",
    "pattern": "^\\+[1-9][0-9]{7,14}$",
    "description": "E.164.",
    "examples": [
     "+8613800138000"
    ]
   },
   "ShopPhone": {
    "type": "string",
    "pattern": "^[-+ ()]*[0-9][-+ ()0-9]*$",
    "minLength": 3,
    "maxLength": 32,
    "description": "As it is printed.",
    "examples": [
     "010-1234 5678"
    ]
   },
   "CampaignKind": {
    "type": "string",
    "enum": [
     "stampCard",
     "promotion"
    ]
   },
   "CardStatus": {
    "type": "string",
    "enum": [
     "collecting",
     "full",
     "redeemed",
     "discarded"
    ]
   },
   "Next": {
    "type": [
     "string",
     "null"
    ],
    "description": "The cursor of the next page; null on the last."
   },
   "VerificationRequest": {
    "type": "object",
    "required": [
     "phone"
    ],
    "properties": {
     "phone": {
      "$ref": "#/components/schemas/Phone"
     }
    }
   },
   "SessionRequest": {
    "type": "object",
    "required": [
     "phone"
    ],
    "properties": {
     "phone": {
      "$ref": "#/components/schemas/Phone"
     },
     "code": {
      "type": "string",
      "description": "The six digits."
     },
     "password": {
      "type": "string"
     }
    },
    "anyOf": [
     {
      "required": [
       "code"
      ]
     },
     {
      "required": [
       "password"
      ]
     }
    ]
   },
   "RefreshRequest": {
    "type": "object",
    "required": [
     "refreshToken"
    ],
    "properties": {
     "refreshToken": {
      "type": "string"
     }
    }
   },
   "ProfileRequest": {
    "type": "object",
    "properties": {
     "nickname": {
      "type": [
       "string",
       "null"
      ],
      "minLength": 1,
      "maxLength": 50,
      "format": "line"
     },
     "avatar": {
      "oneOf": [
       {
        "$ref": "#/components/schemas/ImageID"
       },
       {
        "type": "null"
       }
      ]
     },
     "gender": {
      "type": [
       "string",
       "null"
      ],
      "enum": [
       "female",
       "male",
       "other",
       null
      ]
     },
     "birthday": {
      "type": [
       "string",
       "null"
      ],
      "format": "date",
      "description": "Since 1900."
     },
     "city": {
      "type": [
       "string",
       "null"
      ],
      "minLength": 1,
      "maxLength": 100,
      "format": "line"
     }
    }
   },
   "MySessions": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/MySession"
      }
     },
     "next": {
      "type": "null",
      "description": "There is one page."
     }
    }
   },
   "MySession": {
    "type": "object",
    "required": [
     "id",
     "startedAt",
     "lastSeenAt",
     "device",
     "isCurrent"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/SessionID"
     },
     "startedAt": {
      "type": "string",
      "format": "date-time"
     },
     "lastSeenAt": {
      "type": "string",
      "format": "date-time"
     },
     "device": {
      "type": [
       "string",
       "null"
      ],
      "maxLength": 200
     },
     "isCurrent": {
      "type": "boolean",
      "description": "Whether it is the one that asks."
     }
    }
   },
   "PasswordRequest": {
    "type": "object",
    "required": [
     "new"
    ],
    "properties": {
     "current": {
      "type": "string",
      "description": "The password that there is; not needed with a code."
     },
     "code": {
      "type": "string",
      "description": "Six digits that were sent to the account's own number; needed for the first password."
     },
     "new": {
      "type": "string",
      "minLength": 8,
      "maxLength": 128,
      "format": "line"
     }
    },
    "anyOf": [
     {
      "required": [
       "code"
      ]
     },
     {
      "required": [
       "current"
      ]
     }
    ]
   },
   "TextRequest": {
    "type": "object",
    "required": [
     "text"
    ],
    "properties": {
     "text": {
      "type": "string",
      "minLength": 1,
      "maxLength": 2000,
      "format": "lines"
     }
    }
   },
   "ReasonRequest": {
    "type": "object",
    "required": [
     "reason"
    ],
    "properties": {
     "reason": {
      "type": "string",
      "minLength": 1,
      "maxLength": 500,
      "format": "lines"
     }
    }
   },
   "ReinstatementRequest": {
    "type": "object",
    "properties": {
     "reason": {
      "type": [
       "string",
       "null"
      ],
      "maxLength": 500,
      "format": "lines"
     }
    }
   },
   "ShopRequest": {
    "type": "object",
    "required": [
     "name",
     "phone",
     "address",
     "location"
    ],
    "properties": {
     "name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 100,
      "format": "line"
     },
     "phone": {
      "$ref": "#/components/schemas/ShopPhone"
     },
     "address": {
      "type": "string",
      "minLength": 1,
      "maxLength": 200,
      "format": "line"
     },
     "location": {
      "$ref": "#/components/schemas/Coordinate"
     },
     "images": {
      "type": [
       "array",
       "null"
      ],
      "items": {
       "$ref": "#/components/schemas/ImageID"
      },
      "maxItems": 9
     }
    }
   },
   "ShopEdit": {
    "type": "object",
    "properties": {
     "name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 100,
      "format": "line"
     },
     "phone": {
      "$ref": "#/components/schemas/ShopPhone"
     },
     "address": {
      "type": "string",
      "minLength": 1,
      "maxLength": 200,
      "format": "line"
     },
     "location": {
      "$ref": "#/components/schemas/Coordinate"
     },
     "images": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/ImageID"
      },
      "maxItems": 9
     }
    }
   },
   "CampaignRequest": {
    "type": "object",
    "required": [
     "kind",
     "title",
     "details",
     "startsAt",
     "endsAt"
    ],
    "description": "A stamp card must have a goal and a reward; a promotion has no goal.",
    "properties": {
     "kind": {
      "$ref": "#/components/schemas/CampaignKind"
     },
     "title": {
      "type": "string",
      "minLength": 1,
      "maxLength": 100,
      "format": "line"
     },
     "details": {
      "type": "string",
      "maxLength": 2000,
      "format": "lines"
     },
     "goal": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 50
     },
     "reward": {
      "type": [
       "string",
       "null"
      ],
      "maxLength": 100,
      "format": "line"
     },
     "startsAt": {
      "type": "string",
      "format": "date-time",
      "description": "At most five years ahead."
     },
     "endsAt": {
      "type": "string",
      "format": "date-time",
      "description": "After the start, at most a century; not in the past."
     },
     "image": {
      "oneOf": [
       {
        "$ref": "#/components/schemas/ImageID"
       },
       {
        "type": "null"
       }
      ]
     },
     "stampsPerDayMax": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 50,
      "description": "Stamps that an account may gain in 24 hours on all its cards."
     },
     "minimumGapSeconds": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 86400,
      "description": "Seconds between two codes of one account."
     }
    },
    "if": {
     "properties": {
      "kind": {
       "const": "stampCard"
      }
     },
     "required": [
      "kind"
     ]
    },
    "then": {
     "required": [
      "goal",
      "reward"
     ],
     "properties": {
      "goal": {
       "type": "integer"
      },
      "reward": {
       "type": "string",
       "minLength": 1
      }
     }
    }
   },
   "CampaignEdit": {
    "type": "object",
    "description": "What is absent stays as it is; null takes an image, a cap, or a promotion's reward away.",
    "properties": {
     "title": {
      "type": "string",
      "minLength": 1,
      "maxLength": 100,
      "format": "line"
     },
     "details": {
      "type": "string",
      "maxLength": 2000,
      "format": "lines"
     },
     "goal": {
      "type": "integer",
      "minimum": 1,
      "maximum": 50
     },
     "reward": {
      "type": [
       "string",
       "null"
      ],
      "maxLength": 100,
      "format": "line"
     },
     "startsAt": {
      "type": "string",
      "format": "date-time"
     },
     "endsAt": {
      "type": "string",
      "format": "date-time"
     },
     "image": {
      "oneOf": [
       {
        "$ref": "#/components/schemas/ImageID"
       },
       {
        "type": "null"
       }
      ]
     },
     "stampsPerDayMax": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 50
     },
     "minimumGapSeconds": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 86400
     }
    }
   },
   "CodeRequest": {
    "type": "object",
    "properties": {
     "stamps": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 10,
      "description": "What the code is worth; 1 where it is absent."
     },
     "validFor": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 86400,
      "description": "Seconds; 600 where it is absent."
     }
    }
   },
   "StampRequest": {
    "type": "object",
    "required": [
     "code"
    ],
    "properties": {
     "code": {
      "type": "string",
      "description": "As it was typed or scanned: hyphens, blanks, case and full width do not matter, I and L are 1, O is 0."
     },
     "campaign": {
      "description": "Where given, the code must be of this campaign.",
      "oneOf": [
       {
        "$ref": "#/components/schemas/CampaignID"
       },
       {
        "type": "null"
       }
      ]
     }
    }
   },
   "RedemptionRequest": {
    "type": "object",
    "required": [
     "code"
    ],
    "properties": {
     "code": {
      "type": "string",
      "description": "As it was typed or scanned; see StampRequest."
     }
    }
   },
   "ReviewRequest": {
    "type": "object",
    "properties": {
     "rating": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 5
     },
     "text": {
      "type": [
       "string",
       "null"
      ],
      "minLength": 1,
      "maxLength": 2000,
      "format": "lines"
     }
    },
    "anyOf": [
     {
      "required": [
       "rating"
      ],
      "properties": {
       "rating": {
        "type": "integer"
       }
      }
     },
     {
      "required": [
       "text"
      ],
      "properties": {
       "text": {
        "type": "string"
       }
      }
     }
    ]
   },
   "NoticeRequest": {
    "type": "object",
    "required": [
     "title",
     "text",
     "audience"
    ],
    "properties": {
     "title": {
      "type": "string",
      "minLength": 1,
      "maxLength": 100,
      "format": "line"
     },
     "text": {
      "type": "string",
      "minLength": 1,
      "maxLength": 2000,
      "format": "lines"
     },
     "audience": {
      "type": "string",
      "enum": [
       "all",
       "shop"
      ]
     }
    }
   },
   "AdjustmentRequest": {
    "type": "object",
    "required": [
     "stamps",
     "reason"
    ],
    "properties": {
     "stamps": {
      "type": "integer",
      "minimum": -50,
      "maximum": 50,
      "not": {
       "const": 0
      }
     },
     "reason": {
      "type": "string",
      "minLength": 1,
      "maxLength": 500,
      "format": "lines"
     }
    }
   },
   "VerificationSent": {
    "type": "object",
    "required": [
     "expiresAt"
    ],
    "properties": {
     "expiresAt": {
      "$ref": "#/components/schemas/Time"
     },
     "devCode": {
      "type": "string",
      "pattern": "^[0-9]{6}$",
      "description": "The code itself, in development mode alone."
     }
    },
    "examples": [
     {
      "expiresAt": "2026-11-21T18:05:00.000Z"
     }
    ]
   },
   "Session": {
    "type": "object",
    "required": [
     "accessToken",
     "refreshToken",
     "expiresIn",
     "account"
    ],
    "properties": {
     "accessToken": {
      "type": "string"
     },
     "refreshToken": {
      "type": "string"
     },
     "expiresIn": {
      "type": "integer",
      "description": "Seconds of the access token."
     },
     "account": {
      "$ref": "#/components/schemas/Account"
     }
    },
    "examples": [
     {
      "accessToken": "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhY2N0In0.c2lnbmF0dXJl",
      "refreshToken": "ses_01kahqz8zefx9r4gk0v2d3w5ye.rt_5v0zt8d3k7w1qj9m4x6r2n8c0b",
      "expiresIn": 900,
      "account": {
       "id": "acct_01kahqz8zefx9r4gk0v2d3w5ye",
       "phone": "+8613800138000",
       "nickname": "小绿",
       "avatar": null,
       "gender": null,
       "birthday": null,
       "city": "上海",
       "isMerchant": false,
       "shop": null,
       "isOperator": false
      }
     }
    ]
   },
   "Account": {
    "type": "object",
    "required": [
     "id",
     "phone",
     "nickname",
     "avatar",
     "gender",
     "birthday",
     "city",
     "isMerchant",
     "shop",
     "isOperator"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/AccountID"
     },
     "phone": {
      "type": [
       "string",
       "null"
      ]
     },
     "nickname": {
      "type": [
       "string",
       "null"
      ]
     },
     "avatar": {
      "type": [
       "string",
       "null"
      ],
      "description": "An image."
     },
     "gender": {
      "type": [
       "string",
       "null"
      ]
     },
     "birthday": {
      "type": [
       "string",
       "null"
      ],
      "format": "date"
     },
     "city": {
      "type": [
       "string",
       "null"
      ]
     },
     "isMerchant": {
      "type": "boolean"
     },
     "shop": {
      "description": "The shop that it owns.",
      "oneOf": [
       {
        "$ref": "#/components/schemas/ShopID"
       },
       {
        "type": "null"
       }
      ]
     },
     "isOperator": {
      "type": "boolean"
     }
    },
    "examples": [
     {
      "id": "acct_01kahqz8zefx9r4gk0v2d3w5ye",
      "phone": "+8613800138000",
      "nickname": "小绿",
      "avatar": null,
      "gender": null,
      "birthday": null,
      "city": "上海",
      "isMerchant": false,
      "shop": null,
      "isOperator": false
     }
    ]
   },
   "Export": {
    "type": "object",
    "required": [
     "position",
     "account",
     "shop",
     "cards",
     "reviews",
     "replies",
     "feedback",
     "favorites",
     "notices",
     "sessions",
     "events"
    ],
    "description": "Everything that is held about an account.",
    "properties": {
     "position": {
      "type": "integer",
      "minimum": 1,
      "description": "How far the log had come."
     },
     "account": {
      "type": "object",
      "description": "As GET /v1/me gives it, with when it registered and whether it has a password."
     },
     "shop": {
      "type": [
       "object",
       "null"
      ]
     },
     "cards": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/Card"
      }
     },
     "reviews": {
      "type": "array",
      "items": {
       "type": "object"
      }
     },
     "replies": {
      "type": "array",
      "items": {
       "type": "object"
      }
     },
     "feedback": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/Feedback"
      }
     },
     "favorites": {
      "type": "array",
      "description": "What it keeps, in the order in which it was added.",
      "items": {
       "type": "object",
       "required": [
        "campaign",
        "addedAt"
       ],
       "properties": {
        "campaign": {
         "$ref": "#/components/schemas/CampaignID"
        },
        "addedAt": {
         "$ref": "#/components/schemas/Time"
        }
       }
      }
     },
     "notices": {
      "type": "array",
      "description": "The notices that it got, newest first.",
      "items": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Notice"
        },
        {
         "type": "object",
         "required": [
          "read",
          "readAt"
         ],
         "properties": {
          "readAt": {
           "type": [
            "string",
            "null"
           ],
           "format": "date-time",
           "description": "When it was read first."
          }
         }
        }
       ]
      }
     },
     "sessions": {
      "type": "array",
      "items": {
       "type": "object"
      }
     },
     "events": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/Event"
      },
      "description": "As the log holds them: what stands above in the clear is sealed here."
     }
    }
   },
   "FeedbackTaken": {
    "type": "object",
    "required": [
     "receivedAt"
    ],
    "properties": {
     "receivedAt": {
      "$ref": "#/components/schemas/Time"
     }
    }
   },
   "Feedback": {
    "type": "object",
    "required": [
     "position",
     "author",
     "text",
     "createdAt"
    ],
    "properties": {
     "position": {
      "type": "integer",
      "minimum": 1,
      "description": "Where in the log it stands."
     },
     "author": {
      "$ref": "#/components/schemas/AccountID"
     },
     "text": {
      "type": [
       "string",
       "null"
      ],
      "description": "Null where its author was erased."
     },
     "createdAt": {
      "$ref": "#/components/schemas/Time"
     }
    },
    "examples": [
     {
      "position": 271,
      "author": "acct_01kahqz8zefx9r4gk0v2d3w5ye",
      "text": "更多口味",
      "createdAt": "2026-11-21T18:00:00.000Z"
     }
    ]
   },
   "FeedbackPage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/Feedback"
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "ShopInBrief": {
    "type": "object",
    "required": [
     "id",
     "name",
     "address",
     "location"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/ShopID"
     },
     "name": {
      "type": "string"
     },
     "address": {
      "type": "string"
     },
     "location": {
      "oneOf": [
       {
        "$ref": "#/components/schemas/Coordinate"
       },
       {
        "type": "null"
       }
      ]
     },
     "rating": {
      "type": [
       "number",
       "null"
      ],
      "description": "The mean of its ratings, on a campaign's page."
     },
     "reviewCount": {
      "type": "integer",
      "minimum": 0,
      "description": "How many accounts rate it, on a campaign's page."
     }
    }
   },
   "Campaign": {
    "type": "object",
    "required": [
     "id",
     "kind",
     "title",
     "shop",
     "image",
     "goal",
     "reward",
     "favorites",
     "startsAt",
     "endsAt",
     "running"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/CampaignID"
     },
     "kind": {
      "$ref": "#/components/schemas/CampaignKind"
     },
     "title": {
      "type": "string",
      "description": "Empty, as the details, where the shop's owner was erased; the reward is null then."
     },
     "shop": {
      "$ref": "#/components/schemas/ShopInBrief"
     },
     "distance": {
      "type": "number",
      "minimum": 0,
      "description": "Metres from `near`, where it was given."
     },
     "image": {
      "type": [
       "string",
       "null"
      ]
     },
     "goal": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 50
     },
     "reward": {
      "type": [
       "string",
       "null"
      ]
     },
     "favorites": {
      "type": "integer",
      "minimum": 0,
      "description": "How many accounts like it."
     },
     "isFavorite": {
      "type": "boolean",
      "description": "Whether I do, where I am signed in."
     },
     "startsAt": {
      "$ref": "#/components/schemas/Time"
     },
     "endsAt": {
      "$ref": "#/components/schemas/Time"
     },
     "running": {
      "type": "boolean",
      "description": "Begun, not over, and of a shop that is not suspended."
     }
    },
    "examples": [
     {
      "id": "camp_01kahr1h5yfcrs2v7e4m9z0k3g",
      "kind": "stampCard",
      "title": "Ten cups, the eleventh is free",
      "shop": {
       "id": "shop_01kahr0b3nf7ttd9c1s8j6x2qa",
       "name": "好喝奶茶店",
       "address": "南京东路 1 号",
       "location": {
        "latitude": 31.2304,
        "longitude": 121.4737
       }
      },
      "image": null,
      "goal": 10,
      "reward": "One free drink",
      "favorites": 0,
      "startsAt": "2026-11-01T00:00:00.000Z",
      "endsAt": "2027-11-01T00:00:00.000Z",
      "running": true
     }
    ]
   },
   "CampaignDetails": {
    "description": "A campaign's page. The answer to a write leaves rating and reviewCount out, because it must be the same for ever.",
    "allOf": [
     {
      "$ref": "#/components/schemas/Campaign"
     },
     {
      "type": "object",
      "required": [
       "details",
       "links"
      ],
      "properties": {
       "details": {
        "type": "string"
       },
       "stampsPerDayMax": {
        "type": [
         "integer",
         "null"
        ],
        "description": "Stamps that an account may gain in 24 hours on all its cards; null for any number."
       },
       "minimumGapSeconds": {
        "type": [
         "integer",
         "null"
        ],
        "description": "Seconds between two codes of one account; null for none."
       },
       "rating": {
        "type": [
         "number",
         "null"
        ],
        "description": "The shop's mean."
       },
       "reviewCount": {
        "type": "integer",
        "minimum": 0,
        "description": "How many accounts rate the shop."
       },
       "links": {
        "oneOf": [
         {
          "$ref": "#/components/schemas/Links"
         },
         {
          "type": "null"
         }
        ]
       }
      }
     }
    ]
   },
   "Links": {
    "type": "object",
    "required": [
     "map",
     "apple",
     "google",
     "amap"
    ],
    "description": "How to get to the shop, for each map that a phone may have.",
    "properties": {
     "map": {
      "type": "string"
     },
     "apple": {
      "type": "string"
     },
     "google": {
      "type": "string"
     },
     "amap": {
      "type": "string"
     }
    }
   },
   "CampaignPage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/Campaign"
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "Rating": {
    "type": "object",
    "required": [
     "average",
     "count",
     "histogram"
    ],
    "description": "The latest word of each account.",
    "properties": {
     "average": {
      "type": [
       "number",
       "null"
      ],
      "minimum": 1,
      "maximum": 5
     },
     "count": {
      "type": "integer",
      "minimum": 0
     },
     "histogram": {
      "type": "array",
      "minItems": 5,
      "maxItems": 5,
      "items": {
       "type": "integer",
       "minimum": 0
      },
      "description": "From one star to five."
     }
    }
   },
   "Shop": {
    "type": "object",
    "required": [
     "id",
     "name",
     "phone",
     "address",
     "location",
     "images",
     "campaigns"
    ],
    "description": "A shop's page. The answer to an edit leaves the rating out, because it must be the same for ever. Where the owner was erased, name, phone and address are empty, the location is null, and there are no images.",
    "properties": {
     "id": {
      "$ref": "#/components/schemas/ShopID"
     },
     "name": {
      "type": "string"
     },
     "phone": {
      "type": "string"
     },
     "address": {
      "type": "string"
     },
     "location": {
      "oneOf": [
       {
        "$ref": "#/components/schemas/Coordinate"
       },
       {
        "type": "null"
       }
      ]
     },
     "distance": {
      "type": "number",
      "minimum": 0,
      "description": "Metres from `near`, where it was given."
     },
     "images": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/ImageID"
      }
     },
     "suspended": {
      "type": "boolean"
     },
     "closedAt": {
      "type": "string",
      "format": "date-time",
      "description": "When it closed for good; left out of an open shop."
     },
     "redeemUntil": {
      "type": "string",
      "format": "date-time",
      "description": "Until then a closed shop hands out rewards for full cards."
     },
     "rating": {
      "$ref": "#/components/schemas/Rating"
     },
     "campaigns": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/Campaign"
      }
     }
    },
    "examples": [
     {
      "id": "shop_01kahr0b3nf7ttd9c1s8j6x2qa",
      "name": "好喝奶茶店",
      "phone": "010-1234 5678",
      "address": "南京东路 1 号",
      "location": {
       "latitude": 31.2304,
       "longitude": 121.4737
      },
      "images": [],
      "rating": {
       "average": 4.5,
       "count": 2,
       "histogram": [
        0,
        0,
        0,
        1,
        1
       ]
      },
      "campaigns": []
     }
    ]
   },
   "ShopPage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/Shop"
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "ShopRole": {
    "type": "string",
    "enum": [
     "owner",
     "counter"
    ],
    "description": "Everybody who works there and does not own it is counter staff."
   },
   "Offered": {
    "type": "object",
    "required": [
     "shop",
     "role"
    ],
    "properties": {
     "shop": {
      "$ref": "#/components/schemas/ShopID"
     },
     "role": {
      "$ref": "#/components/schemas/ShopRole"
     }
    }
   },
   "OfferPage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "type": "object",
       "required": [
        "id",
        "role",
        "expiresAt"
       ],
       "properties": {
        "id": {
         "$ref": "#/components/schemas/InvitationID"
        },
        "role": {
         "$ref": "#/components/schemas/ShopRole"
        },
        "expiresAt": {
         "$ref": "#/components/schemas/Time"
        }
       }
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "InvitationPage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/Invitation"
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "Invitation": {
    "type": "object",
    "required": [
     "id",
     "kind",
     "role",
     "shop",
     "invitedAt",
     "expiresAt"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/InvitationID"
     },
     "kind": {
      "type": "string",
      "enum": [
       "staff"
      ]
     },
     "role": {
      "$ref": "#/components/schemas/ShopRole"
     },
     "shop": {
      "type": "object",
      "required": [
       "id",
       "name"
      ],
      "properties": {
       "id": {
        "$ref": "#/components/schemas/ShopID"
       },
       "name": {
        "type": "string"
       }
      }
     },
     "invitedAt": {
      "$ref": "#/components/schemas/Time"
     },
     "expiresAt": {
      "$ref": "#/components/schemas/Time"
     }
    }
   },
   "WorkplacePage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "items": {
       "type": "object",
       "required": [
        "id",
        "name",
        "image",
        "role"
       ],
       "properties": {
        "id": {
         "$ref": "#/components/schemas/ShopID"
        },
        "name": {
         "type": "string"
        },
        "image": {
         "type": [
          "string",
          "null"
         ],
         "description": "The id of its first picture."
        },
        "role": {
         "$ref": "#/components/schemas/ShopRole"
        }
       }
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "Staff": {
    "type": "object",
    "required": [
     "owner",
     "staff"
    ],
    "properties": {
     "owner": {
      "$ref": "#/components/schemas/AccountID"
     },
     "staff": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/AccountID"
      }
     }
    }
   },
   "CardInBrief": {
    "type": "object",
    "required": [
     "id",
     "campaign",
     "shop",
     "status",
     "stamps",
     "goal",
     "reward",
     "openedAt"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/CardID"
     },
     "campaign": {
      "$ref": "#/components/schemas/CampaignID"
     },
     "shop": {
      "$ref": "#/components/schemas/ShopID"
     },
     "status": {
      "$ref": "#/components/schemas/CardStatus"
     },
     "stamps": {
      "type": "integer",
      "minimum": 0,
      "maximum": 50
     },
     "goal": {
      "type": "integer",
      "minimum": 1,
      "maximum": 50
     },
     "reward": {
      "type": "string",
      "description": "Empty where the shop's owner was erased."
     },
     "openedAt": {
      "$ref": "#/components/schemas/Time"
     }
    },
    "examples": [
     {
      "id": "card_01kahr3t1rfhmv4k8d2x6c0w5z",
      "campaign": "camp_01kahr1h5yfcrs2v7e4m9z0k3g",
      "shop": "shop_01kahr0b3nf7ttd9c1s8j6x2qa",
      "status": "collecting",
      "stamps": 3,
      "goal": 10,
      "reward": "One free drink",
      "openedAt": "2026-11-21T18:00:00.000Z"
     }
    ]
   },
   "Card": {
    "description": "A card with its history.",
    "allOf": [
     {
      "$ref": "#/components/schemas/CardInBrief"
     },
     {
      "type": "object",
      "required": [
       "history"
      ],
      "properties": {
       "history": {
        "type": "array",
        "items": {
         "$ref": "#/components/schemas/CardEntry"
        }
       }
      }
     }
    ]
   },
   "Adjusted": {
    "type": "object",
    "required": [
     "card",
     "position"
    ],
    "properties": {
     "card": {
      "$ref": "#/components/schemas/Card"
     },
     "position": {
      "type": "integer",
      "minimum": 1
     }
    }
   },
   "CardEntry": {
    "type": "object",
    "required": [
     "at",
     "kind",
     "stamps",
     "position"
    ],
    "properties": {
     "at": {
      "$ref": "#/components/schemas/Time"
     },
     "kind": {
      "type": "string",
      "enum": [
       "opened",
       "stamped",
       "redemptionRequested",
       "redeemed",
       "discarded",
       "adjusted",
       "reversed"
      ]
     },
     "stamps": {
      "type": "integer",
      "description": "Stamps that came to the card."
     },
     "position": {
      "type": "integer",
      "minimum": 1
     },
     "reason": {
      "type": "string",
      "description": "Why the card was adjusted, or its redemption reversed; only there."
     }
    },
    "examples": [
     {
      "at": "2026-11-21T18:00:00.000Z",
      "kind": "stamped",
      "stamps": 3,
      "position": 271
     }
    ]
   },
   "CardPage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/CardInBrief"
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "Stamped": {
    "type": "object",
    "required": [
     "card",
     "cards",
     "added",
     "position"
    ],
    "properties": {
     "card": {
      "$ref": "#/components/schemas/Card",
      "description": "The one that took the first stamp."
     },
     "cards": {
      "type": "array",
      "minItems": 1,
      "items": {
       "$ref": "#/components/schemas/Card"
      },
      "description": "All that changed."
     },
     "added": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10
     },
     "position": {
      "type": "integer",
      "minimum": 1
     }
    }
   },
   "ShownCode": {
    "type": "object",
    "required": [
     "code",
     "payload",
     "qrSvg",
     "expiresAt"
    ],
    "properties": {
     "code": {
      "type": "string",
      "pattern": "^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$",
      "description": "For people."
     },
     "payload": {
      "type": "string",
      "description": "What the picture says: a link."
     },
     "qrSvg": {
      "type": [
       "string",
       "null"
      ],
      "description": "The picture."
     },
     "expiresAt": {
      "$ref": "#/components/schemas/Time"
     }
    },
    "examples": [
     {
      "code": "K7QF-2M9X",
      "payload": "https://greentea.example/s/K7QF2M9X",
      "qrSvg": "<svg …/>",
      "expiresAt": "2026-11-21T18:10:00.000Z"
     }
    ]
   },
   "StampCode": {
    "allOf": [
     {
      "type": "object",
      "required": [
       "id"
      ],
      "properties": {
       "id": {
        "$ref": "#/components/schemas/CodeID"
       }
      }
     },
     {
      "$ref": "#/components/schemas/ShownCode"
     }
    ]
   },
   "RedemptionCode": {
    "allOf": [
     {
      "type": "object",
      "required": [
       "id"
      ],
      "properties": {
       "id": {
        "$ref": "#/components/schemas/RedemptionID"
       }
      }
     },
     {
      "$ref": "#/components/schemas/ShownCode"
     }
    ]
   },
   "CodeState": {
    "type": "object",
    "required": [
     "id",
     "campaign",
     "shop",
     "status",
     "stamps",
     "expiresAt"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/CodeID"
     },
     "campaign": {
      "$ref": "#/components/schemas/CampaignID"
     },
     "shop": {
      "$ref": "#/components/schemas/ShopID"
     },
     "status": {
      "type": "string",
      "enum": [
       "open",
       "used",
       "destroyed",
       "expired"
      ]
     },
     "stamps": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10
     },
     "expiresAt": {
      "$ref": "#/components/schemas/Time"
     }
    }
   },
   "Redemption": {
    "type": "object",
    "required": [
     "id",
     "status",
     "card",
     "campaign",
     "shop",
     "requestedAt",
     "expiresAt"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/RedemptionID"
     },
     "status": {
      "type": "string",
      "enum": [
       "pending",
       "redeemed",
       "expired",
       "replaced",
       "reversed"
      ]
     },
     "card": {
      "$ref": "#/components/schemas/CardID"
     },
     "campaign": {
      "$ref": "#/components/schemas/CampaignID"
     },
     "shop": {
      "$ref": "#/components/schemas/ShopID"
     },
     "requestedAt": {
      "$ref": "#/components/schemas/Time"
     },
     "expiresAt": {
      "$ref": "#/components/schemas/Time"
     }
    }
   },
   "Preview": {
    "type": "object",
    "required": [
     "redemption",
     "card",
     "reward"
    ],
    "properties": {
     "redemption": {
      "$ref": "#/components/schemas/Redemption"
     },
     "card": {
      "$ref": "#/components/schemas/Card"
     },
     "reward": {
      "type": "string"
     },
     "position": {
      "type": "integer",
      "minimum": 1
     }
    }
   },
   "Redeemed": {
    "type": "object",
    "required": [
     "redemption",
     "card",
     "reward",
     "position"
    ],
    "properties": {
     "redemption": {
      "$ref": "#/components/schemas/Redemption"
     },
     "card": {
      "$ref": "#/components/schemas/Card"
     },
     "reward": {
      "type": "string"
     },
     "position": {
      "type": "integer",
      "minimum": 1
     }
    }
   },
   "Statistics": {
    "type": "object",
    "required": [
     "shop",
     "timeZone",
     "from",
     "to",
     "days",
     "totals",
     "redemptionRate",
     "repeatVisitRate",
     "cohorts",
     "staff",
     "concentration"
    ],
    "properties": {
     "shop": {
      "$ref": "#/components/schemas/ShopID"
     },
     "timeZone": {
      "type": "string"
     },
     "from": {
      "type": [
       "string",
       "null"
      ],
      "format": "date"
     },
     "to": {
      "type": [
       "string",
       "null"
      ],
      "format": "date"
     },
     "days": {
      "type": "array",
      "items": {
       "type": "object",
       "required": [
        "date",
        "codes",
        "stamps",
        "newCards",
        "activeCustomers",
        "redemptions",
        "reversals"
       ],
       "properties": {
        "date": {
         "type": "string",
         "format": "date"
        },
        "codes": {
         "type": "integer"
        },
        "stamps": {
         "type": "integer"
        },
        "newCards": {
         "type": "integer"
        },
        "activeCustomers": {
         "type": "integer"
        },
        "redemptions": {
         "type": "integer"
        },
        "reversals": {
         "type": "integer"
        }
       }
      }
     },
     "totals": {
      "type": "object",
      "required": [
       "codes",
       "stamps",
       "newCards",
       "activeCustomers",
       "fullCards",
       "redemptions",
       "reversals"
      ],
      "properties": {
       "codes": {
        "type": "integer"
       },
       "stamps": {
        "type": "integer"
       },
       "newCards": {
        "type": "integer"
       },
       "activeCustomers": {
        "type": "integer"
       },
       "fullCards": {
        "type": "integer"
       },
       "redemptions": {
        "type": "integer"
       },
       "reversals": {
        "type": "integer"
       }
      }
     },
     "redemptionRate": {
      "type": [
       "number",
       "null"
      ],
      "description": "Rewards handed out less those taken back, for each time that a card became full."
     },
     "repeatVisitRate": {
      "type": [
       "number",
       "null"
      ],
      "description": "Of the customers who came at all."
     },
     "cohorts": {
      "type": "array",
      "description": "Customers by the week of their first stamp, and how many of them came in each week since.",
      "items": {
       "type": "object",
       "required": [
        "week",
        "customers",
        "active",
        "retention"
       ],
       "properties": {
        "week": {
         "type": "string",
         "format": "date"
        },
        "customers": {
         "type": "integer"
        },
        "active": {
         "type": "array",
         "items": {
          "type": "integer"
         }
        },
        "retention": {
         "type": "array",
         "items": {
          "type": "number"
         }
        }
       }
      }
     },
     "staff": {
      "type": "array",
      "items": {
       "type": "object",
       "required": [
        "account",
        "codes",
        "stamps",
        "redemptions",
        "reversals"
       ],
       "properties": {
        "account": {
         "$ref": "#/components/schemas/AccountID"
        },
        "codes": {
         "type": "integer"
        },
        "stamps": {
         "type": "integer"
        },
        "redemptions": {
         "type": "integer"
        },
        "reversals": {
         "type": "integer"
        }
       }
      }
     },
     "concentration": {
      "type": "object",
      "required": [
       "cards",
       "staff"
      ],
      "description": "Cards and members of staff with an unlikely share of the stamps.",
      "properties": {
       "cards": {
        "type": "array",
        "items": {
         "type": "object"
        }
       },
       "staff": {
        "type": "array",
        "items": {
         "type": "object"
        }
       }
      }
     }
    }
   },
   "Analytics": {
    "type": "object",
    "required": [
     "shop",
     "timeZone",
     "from",
     "to",
     "retention",
     "fill",
     "abandonment",
     "effect"
    ],
    "properties": {
     "shop": {
      "$ref": "#/components/schemas/ShopID"
     },
     "timeZone": {
      "type": "string"
     },
     "from": {
      "type": "string",
      "format": "date"
     },
     "to": {
      "type": "string",
      "format": "date"
     },
     "retention": {
      "type": "object",
      "required": [
       "visits",
       "customers",
       "returningCustomers",
       "repeatVisitRate",
       "cohorts",
       "curve"
      ],
      "properties": {
       "visits": {
        "type": "integer"
       },
       "customers": {
        "type": "integer",
        "description": "With a visit in the period."
       },
       "returningCustomers": {
        "type": "integer",
        "description": "Of those, with visits on two days or more."
       },
       "repeatVisitRate": {
        "type": [
         "number",
         "null"
        ],
        "description": "Null where nobody came."
       },
       "cohorts": {
        "type": "array",
        "description": "Customers by the week of their first visit ever, and how many of them came in each week since.",
        "items": {
         "type": "object",
         "required": [
          "week",
          "customers",
          "active",
          "retention"
         ],
         "properties": {
          "week": {
           "type": "string",
           "format": "date"
          },
          "customers": {
           "type": "integer"
          },
          "active": {
           "type": "array",
           "items": {
            "type": "integer"
           }
          },
          "retention": {
           "type": "array",
           "items": {
            "type": "number"
           }
          }
         }
        }
       },
       "curve": {
        "type": "array",
        "description": "All cohorts together, of those that are old enough for the week.",
        "items": {
         "type": "object",
         "required": [
          "week",
          "customers",
          "active",
          "retention"
         ],
         "properties": {
          "week": {
           "type": "integer"
          },
          "customers": {
           "type": "integer"
          },
          "active": {
           "type": "integer"
          },
          "retention": {
           "type": "number"
          }
         }
        }
       }
      }
     },
     "fill": {
      "type": "object",
      "required": [
       "cards",
       "medianDays",
       "p90Days",
       "histogram"
      ],
      "properties": {
       "cards": {
        "type": "integer",
        "description": "That became full in the period."
       },
       "medianDays": {
        "type": [
         "number",
         "null"
        ],
        "description": "From opening to full."
       },
       "p90Days": {
        "type": [
         "number",
         "null"
        ]
       },
       "histogram": {
        "type": "array",
        "items": {
         "type": "object",
         "required": [
          "days",
          "cards"
         ],
         "properties": {
          "days": {
           "type": "integer"
          },
          "cards": {
           "type": "integer"
          }
         }
        }
       }
      }
     },
     "abandonment": {
      "type": "object",
      "required": [
       "idleDays",
       "cards",
       "full",
       "idle",
       "discarded",
       "share",
       "counts"
      ],
      "properties": {
       "idleDays": {
        "type": "integer"
       },
       "cards": {
        "type": "integer",
        "description": "Opened in the period."
       },
       "full": {
        "type": "integer"
       },
       "idle": {
        "type": "integer"
       },
       "discarded": {
        "type": "integer"
       },
       "share": {
        "type": [
         "number",
         "null"
        ],
        "description": "Idle or thrown away, of all."
       },
       "counts": {
        "type": "array",
        "description": "For each count of stamps: of the cards that reached it, those left there.",
        "items": {
         "type": "object",
         "required": [
          "stamps",
          "reached",
          "idle",
          "discarded",
          "share"
         ],
         "properties": {
          "stamps": {
           "type": "integer"
          },
          "reached": {
           "type": "integer"
          },
          "idle": {
           "type": "integer"
          },
          "discarded": {
           "type": "integer"
          },
          "share": {
           "type": "number"
          }
         }
        }
       }
      }
     },
     "effect": {
      "type": [
       "object",
       "null"
      ],
      "required": [
       "campaign",
       "firstDay",
       "lastDay",
       "change",
       "lastingChange",
       "before",
       "during",
       "after"
      ],
      "properties": {
       "campaign": {
        "$ref": "#/components/schemas/CampaignID"
       },
       "firstDay": {
        "type": "string",
        "format": "date"
       },
       "lastDay": {
        "type": "string",
        "format": "date"
       },
       "change": {
        "type": [
         "number",
         "null"
        ],
        "description": "Visits a week while it ran, compared with before: 0.25 is a quarter more."
       },
       "lastingChange": {
        "type": [
         "number",
         "null"
        ],
        "description": "Visits a week after it, compared with before."
       },
       "before": {
        "$ref": "#/components/schemas/CampaignWeeks"
       },
       "during": {
        "$ref": "#/components/schemas/CampaignWeeks"
       },
       "after": {
        "$ref": "#/components/schemas/CampaignWeeks"
       }
      }
     }
    }
   },
   "CampaignWeeks": {
    "type": "object",
    "required": [
     "visitsPerWeek",
     "activeCustomersPerWeek",
     "newCustomersPerWeek",
     "weeks"
    ],
    "properties": {
     "visitsPerWeek": {
      "type": [
       "number",
       "null"
      ]
     },
     "activeCustomersPerWeek": {
      "type": [
       "number",
       "null"
      ]
     },
     "newCustomersPerWeek": {
      "type": [
       "number",
       "null"
      ]
     },
     "weeks": {
      "type": "array",
      "description": "Seven days each, but for a last one that is shorter.",
      "items": {
       "type": "object",
       "required": [
        "from",
        "days",
        "visits",
        "activeCustomers",
        "newCustomers"
       ],
       "properties": {
        "from": {
         "type": "string",
         "format": "date"
        },
        "days": {
         "type": "integer",
         "minimum": 1,
         "maximum": 7
        },
        "visits": {
         "type": "integer"
        },
        "activeCustomers": {
         "type": "integer"
        },
        "newCustomers": {
         "type": "integer"
        }
       }
      }
     }
    }
   },
   "Author": {
    "type": "object",
    "description": "Who said it. The handle is the same in all that they say at this shop, another at every other, and leads to no account.",
    "required": [
     "handle",
     "nickname",
     "avatar",
     "isShop"
    ],
    "properties": {
     "handle": {
      "type": "string",
      "pattern": "^[0-9a-hjkmnp-tv-z]{16}$",
      "examples": [
       "7hq2m9x0c4kd8w1b"
      ]
     },
     "nickname": {
      "type": [
       "string",
       "null"
      ]
     },
     "avatar": {
      "type": [
       "string",
       "null"
      ],
      "description": "A picture's id."
     },
     "isShop": {
      "type": "boolean",
      "description": "Whether they own the shop or work there now."
     }
    }
   },
   "Review": {
    "type": "object",
    "required": [
     "id",
     "shop",
     "author",
     "rating",
     "text",
     "verified",
     "createdAt",
     "replies"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/ReviewID"
     },
     "shop": {
      "$ref": "#/components/schemas/ShopID"
     },
     "author": {
      "$ref": "#/components/schemas/Author"
     },
     "rating": {
      "type": [
       "integer",
       "null"
      ],
      "minimum": 1,
      "maximum": 5,
      "description": "Null for a reply."
     },
     "text": {
      "type": [
       "string",
       "null"
      ],
      "description": "Null where there is none, or its author was erased."
     },
     "verified": {
      "type": "boolean",
      "description": "Whether the author holds or held a card there."
     },
     "removed": {
      "type": "boolean",
      "description": "Taken down; neither rating nor text is left."
     },
     "createdAt": {
      "$ref": "#/components/schemas/Time"
     },
     "replies": {
      "type": "array",
      "items": {
       "$ref": "#/components/schemas/Review"
      }
     }
    },
    "examples": [
     {
      "id": "rev_01kahr5d2xf8w6t0q4n7z9a1ch",
      "shop": "shop_01kahr0b3nf7ttd9c1s8j6x2qa",
      "author": {
       "handle": "7hq2m9x0c4kd8w1b",
       "nickname": "小绿",
       "avatar": null,
       "isShop": false
      },
      "rating": 5,
      "text": "很好喝！",
      "verified": true,
      "createdAt": "2026-11-21T18:00:00.000Z",
      "replies": []
     }
    ]
   },
   "ReviewPage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/Review"
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "Image": {
    "type": "object",
    "required": [
     "id",
     "url",
     "width",
     "height"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/ImageID"
     },
     "url": {
      "type": "string"
     },
     "width": {
      "type": "integer",
      "minimum": 1
     },
     "height": {
      "type": "integer",
      "minimum": 1
     }
    }
   },
   "Notice": {
    "type": "object",
    "required": [
     "id",
     "title",
     "text",
     "audience",
     "shop",
     "postedAt"
    ],
    "properties": {
     "id": {
      "$ref": "#/components/schemas/NoticeID"
     },
     "title": {
      "type": [
       "string",
       "null"
      ],
      "description": "Null where its author was erased."
     },
     "text": {
      "type": [
       "string",
       "null"
      ]
     },
     "audience": {
      "type": "string",
      "enum": [
       "all",
       "shop"
      ]
     },
     "shop": {
      "type": [
       "object",
       "null"
      ],
      "required": [
       "id",
       "name"
      ],
      "properties": {
       "id": {
        "$ref": "#/components/schemas/ShopID"
       },
       "name": {
        "type": [
         "string",
         "null"
        ]
       }
      }
     },
     "postedAt": {
      "$ref": "#/components/schemas/Time"
     },
     "read": {
      "type": "boolean",
      "description": "Whether I read it, in my list."
     }
    },
    "examples": [
     {
      "id": "ntc_01kahr6p9vf5b3y7m1k8e2d4xr",
      "title": "Closed on Monday",
      "text": "We repaint the shop.",
      "audience": "shop",
      "shop": {
       "id": "shop_01kahr0b3nf7ttd9c1s8j6x2qa",
       "name": "好喝奶茶店"
      },
      "postedAt": "2026-11-21T18:00:00.000Z",
      "read": false
     }
    ]
   },
   "NoticePage": {
    "type": "object",
    "required": [
     "items",
     "next",
     "unread"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/Notice"
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     },
     "unread": {
      "type": "integer",
      "minimum": 0,
      "description": "Of all my notices."
     }
    }
   },
   "Event": {
    "type": "object",
    "required": [
     "position",
     "time",
     "type",
     "actor",
     "event"
    ],
    "description": "An event as the log has it. Sealed fields are base64 under `sealed`, keyed hashes 32 hexadecimal digits.",
    "properties": {
     "position": {
      "type": "integer",
      "minimum": 1
     },
     "time": {
      "$ref": "#/components/schemas/Time"
     },
     "type": {
      "type": "string"
     },
     "actor": {
      "type": [
       "string",
       "null"
      ],
      "description": "An account; in an export null where it was somebody else."
     },
     "event": {
      "type": "object"
     },
     "sealed": {
      "type": "object"
     }
    },
    "examples": [
     {
      "position": 9,
      "time": "2026-11-21T18:00:00.000Z",
      "type": "CardStamped",
      "actor": "acct_01kahqz8zefx9r4gk0v2d3w5ye",
      "event": {
       "card": "card_01kahr3t1rfhmv4k8d2x6c0w5z",
       "stamps": 1
      }
     }
    ]
   },
   "EventPage": {
    "type": "object",
    "required": [
     "items",
     "next"
    ],
    "properties": {
     "items": {
      "type": "array",
      "maxItems": 100,
      "items": {
       "$ref": "#/components/schemas/Event"
      }
     },
     "next": {
      "$ref": "#/components/schemas/Next"
     }
    }
   },
   "LiveEvent": {
    "type": "object",
    "description": "One message of the stream. Clients skip names and kinds that they do not know.",
    "properties": {
     "id": {
      "type": "string",
      "pattern": "^[0-9]*$",
      "description": "A position."
     },
     "event": {
      "type": "string",
      "description": "card, code, redemption or notice."
     },
     "data": {
      "type": "string",
      "contentMediaType": "application/json",
      "description": "`kind`, `at`, `position` and what it is about: `card` with `added` and, where a reward is asked for, given or taken back, `redemption`; or `code`; or `redemption`; or `notice`."
     },
     "retry": {
      "description": "Milliseconds after which to come again."
     }
    },
    "examples": [
     {
      "id": "81",
      "event": "card",
      "data": "{\"kind\":\"opened\",\"at\":\"2026-11-21T18:00:00.000Z\",\"position\":81}"
     }
    ]
   },
   "Readiness": {
    "type": "object",
    "required": [
     "status",
     "position",
     "writing",
     "waitingCommands",
     "models"
    ],
    "properties": {
     "status": {
      "type": "string",
      "enum": [
       "ready",
       "notReady"
      ]
     },
     "reasons": {
      "type": "array",
      "description": "Why it is not.",
      "items": {
       "type": "object",
       "required": [
        "code",
        "model"
       ],
       "properties": {
        "code": {
         "type": "string",
         "enum": [
          "writerStopped",
          "checkpointFailing",
          "modelStopped",
          "modelBehind",
          "modelMismatch"
         ]
        },
        "model": {
         "type": [
          "string",
          "null"
         ]
        }
       }
      }
     },
     "warnings": {
      "type": "array",
      "description": "What keeps no requests away but wants attention.",
      "items": {
       "type": "object",
       "required": [
        "code",
        "model",
        "map",
        "cause",
        "position",
        "event",
        "remedy"
       ],
       "properties": {
        "code": {
         "type": "string",
         "enum": [
          "modelNotRenewed",
          "mapNearlyFull"
         ]
        },
        "model": {
         "type": [
          "string",
          "null"
         ],
         "description": "The model that could not be renewed."
        },
        "map": {
         "type": [
          "string",
          "null"
         ],
         "description": "What is nearly full: log, keys, or the name of a model."
        },
        "cause": {
         "type": "string",
         "description": "The class of the failure, such as eventRefused; or how full the map is."
        },
        "position": {
         "type": [
          "integer",
          "null"
         ],
         "minimum": 1,
         "description": "The event that is to blame."
        },
        "event": {
         "type": [
          "string",
          "null"
         ],
         "description": "Its type."
        },
        "remedy": {
         "type": "string",
         "description": "What to do."
        }
       }
      }
     },
     "position": {
      "type": "integer",
      "minimum": 0
     },
     "writing": {
      "type": "boolean"
     },
     "waitingCommands": {
      "type": "integer",
      "minimum": 0
     },
     "models": {
      "type": "array",
      "items": {
       "type": "object",
       "required": [
        "name",
        "position",
        "lag",
        "stalled",
        "stale"
       ],
       "properties": {
        "name": {
         "type": "string"
        },
        "position": {
         "type": "integer"
        },
        "lag": {
         "type": "integer"
        },
        "stalled": {
         "type": "boolean"
        },
        "stale": {
         "type": "boolean",
         "description": "An older version of it is served, since the one of this program could not be built."
        }
       }
      }
     }
    }
   },
   "Problem": {
    "type": "object",
    "required": [
     "type",
     "title",
     "status",
     "detail",
     "instance",
     "code",
     "requestId"
    ],
    "description": "RFC 9457.",
    "properties": {
     "type": {
      "type": "string",
      "pattern": "^https://greentea\\.dev/problems/[A-Za-z]+$"
     },
     "title": {
      "type": "string"
     },
     "status": {
      "type": "integer",
      "minimum": 400,
      "maximum": 599
     },
     "detail": {
      "type": "string"
     },
     "instance": {
      "type": "string",
      "description": "The path that was asked for."
     },
     "code": {
      "$ref": "#/components/schemas/ProblemCode"
     },
     "requestId": {
      "type": "string"
     },
     "errors": {
      "type": "array",
      "description": "For bad input, what is wrong with which field.",
      "items": {
       "type": "object",
       "required": [
        "pointer",
        "detail"
       ],
       "properties": {
        "pointer": {
         "type": "string",
         "description": "RFC 6901; empty for the request as a whole."
        },
        "detail": {
         "type": "string"
        }
       }
      }
     }
    },
    "examples": [
     {
      "type": "https://greentea.dev/problems/invalidRequest",
      "title": "Invalid request",
      "status": 400,
      "detail": "Something in the request is not as it must be; see errors.",
      "instance": "/v1/shops",
      "code": "invalidRequest",
      "requestId": "6f1c2a90b3d84e57",
      "errors": [
       {
        "pointer": "/name",
        "detail": "is required"
       }
      ]
     }
    ]
   },
   "ProblemCode": {
    "type": "string",
    "description": "What clients compare. It never changes its meaning.\n\n| code | status | meaning |\n|---|---|---|\n| `invalidRequest` | 400 | Something in the request is not as it must be; `errors` says what. |\n| `idempotencyKeyRequired` | 400 | This request needs an Idempotency-Key. |\n| `unauthenticated` | 401 | Not signed in, or no longer. |\n| `tokenExpired` | 401 | The access token has expired; refresh it. |\n| `forbidden` | 403 | Signed in, but not the one who may. |\n| `ownShop` | 403 | Nobody reviews a shop that they own or work for. |\n| `ownCampaign` | 403 | Nobody collects or redeems at a shop that they own or work for. |\n| `suspended` | 403 | The operator has suspended the shop, or its owner has left the service. |\n| `notFound` | 404 | There is nothing here, or nothing that the caller may know of. |\n| `methodNotAllowed` | 405 | The address does not take the method; `Allow` says which it takes. |\n| `cardNotFull` | 409 | Only a full card can be redeemed. |\n| `alreadyMerchant` | 409 | The account has a shop already. |\n| `campaignNotRunning` | 409 | The campaign has not begun or is over. |\n| `codeNotOpen` | 409 | The code was used or has expired. |\n| `offerNotOpen` | 409 | The offer was answered or withdrawn, or has lapsed. |\n| `idempotencyInFlight` | 409 | The first request with this key is still running. Kept for other servers: this one lets the second wait. |\n| `notReversible` | 409 | The redemption is too old to be taken back, or was already. |\n| `versionConflict` | 412 | It was changed since it was read. |\n| `tooLarge` | 413 | The body is larger than 64 KiB, or a picture than 8 MiB. |\n| `unsupportedMediaType` | 415 | The body is not JSON in UTF-8, or not a picture that is known. |\n| `codeNotValid` | 422 | Unknown, used, destroyed, expired, or of another campaign. |\n| `redemptionNotValid` | 422 | Unknown, used, expired, replaced, or of another shop. |\n| `verificationNotValid` | 422 | The code or the password is wrong. |\n| `idempotencyKeyReused` | 422 | The key was used for another request. |\n| `preconditionRequired` | 428 | This edit needs an If-Match. |\n| `rateLimited` | 429 | Too many attempts; see Retry-After. |\n| `internal` | 500 | The service failed and has noted it. |\n| `overloaded` | 503 | Too busy; try again in a moment. |\n| `notCaughtUp` | 503 | The position that was asked for has not been reached. |\n| `stopping` | 503 | The service is going down or up. |\n",
    "enum": [
     "invalidRequest",
     "idempotencyKeyRequired",
     "unauthenticated",
     "tokenExpired",
     "forbidden",
     "ownShop",
     "ownCampaign",
     "suspended",
     "notFound",
     "methodNotAllowed",
     "cardNotFull",
     "alreadyMerchant",
     "campaignNotRunning",
     "codeNotOpen",
     "offerNotOpen",
     "idempotencyInFlight",
     "notReversible",
     "versionConflict",
     "tooLarge",
     "unsupportedMediaType",
     "codeNotValid",
     "redemptionNotValid",
     "verificationNotValid",
     "idempotencyKeyReused",
     "preconditionRequired",
     "rateLimited",
     "internal",
     "overloaded",
     "notCaughtUp",
     "stopping"
    ]
   }
  },
  "responses": {
   "alreadyMerchant": {
    "description": "`alreadyMerchant`: The account has a shop already.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "alreadyMerchant"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "campaignNotRunning": {
    "description": "`campaignNotRunning`: The campaign has not begun or is over.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "campaignNotRunning"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "cardNotFull": {
    "description": "`cardNotFull`: Only a full card can be redeemed.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "cardNotFull"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "codeNotOpen": {
    "description": "`codeNotOpen`: The code was used or has expired.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "codeNotOpen"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "codeNotValid-idempotencyKeyReused": {
    "description": "`codeNotValid`: Unknown, used, destroyed, expired, or of another campaign. · `idempotencyKeyReused`: The key was used for another request.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "codeNotValid",
            "idempotencyKeyReused"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "forbidden": {
    "description": "`forbidden`: Signed in, but not the one who may.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 403
          },
          "code": {
           "enum": [
            "forbidden"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "forbidden-ownCampaign-suspended": {
    "description": "`forbidden`: Signed in, but not the one who may. · `ownCampaign`: Nobody collects or redeems at a shop that they own or work for. · `suspended`: The operator has suspended the shop, or its owner has left the service.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 403
          },
          "code": {
           "enum": [
            "forbidden",
            "ownCampaign",
            "suspended"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "forbidden-suspended": {
    "description": "`forbidden`: Signed in, but not the one who may. · `suspended`: The operator has suspended the shop, or its owner has left the service.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 403
          },
          "code": {
           "enum": [
            "forbidden",
            "suspended"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "idempotencyKeyReused": {
    "description": "`idempotencyKeyReused`: The key was used for another request.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "idempotencyKeyReused"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "internal": {
    "description": "`internal`: The service failed and has noted it.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 500
          },
          "code": {
           "enum": [
            "internal"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "invalidRequest": {
    "description": "`invalidRequest`: Something in the request is not as it must be; `errors` says what.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 400
          },
          "code": {
           "enum": [
            "invalidRequest"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "invalidRequest-idempotencyKeyRequired": {
    "description": "`invalidRequest`: Something in the request is not as it must be; `errors` says what. · `idempotencyKeyRequired`: This request needs an Idempotency-Key.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 400
          },
          "code": {
           "enum": [
            "invalidRequest",
            "idempotencyKeyRequired"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "notCaughtUp": {
    "description": "`notCaughtUp`: The position that was asked for has not been reached.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 503
          },
          "code": {
           "enum": [
            "notCaughtUp"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "notFound": {
    "description": "`notFound`: There is nothing here, or nothing that the caller may know of.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 404
          },
          "code": {
           "enum": [
            "notFound"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "notReversible": {
    "description": "`notReversible`: The redemption is too old to be taken back, or was already.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "notReversible"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "offerNotOpen": {
    "description": "`offerNotOpen`: The offer was answered or withdrawn, or has lapsed.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 409
          },
          "code": {
           "enum": [
            "offerNotOpen"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "overloaded": {
    "description": "`overloaded`: Too busy; try again in a moment.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 503
          },
          "code": {
           "enum": [
            "overloaded"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "overloaded-notCaughtUp": {
    "description": "`overloaded`: Too busy; try again in a moment. · `notCaughtUp`: The position that was asked for has not been reached.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 503
          },
          "code": {
           "enum": [
            "overloaded",
            "notCaughtUp"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "overloaded-stopping": {
    "description": "`overloaded`: Too busy; try again in a moment. · `stopping`: The service is going down or up.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 503
          },
          "code": {
           "enum": [
            "overloaded",
            "stopping"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "ownCampaign-suspended": {
    "description": "`ownCampaign`: Nobody collects or redeems at a shop that they own or work for. · `suspended`: The operator has suspended the shop, or its owner has left the service.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 403
          },
          "code": {
           "enum": [
            "ownCampaign",
            "suspended"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "ownShop": {
    "description": "`ownShop`: Nobody reviews a shop that they own or work for.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 403
          },
          "code": {
           "enum": [
            "ownShop"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "preconditionRequired": {
    "description": "`preconditionRequired`: This edit needs an If-Match.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 428
          },
          "code": {
           "enum": [
            "preconditionRequired"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "rateLimited": {
    "description": "`rateLimited`: Too many attempts; see Retry-After.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     },
     "Retry-After": {
      "$ref": "#/components/headers/Retry-After"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 429
          },
          "code": {
           "enum": [
            "rateLimited"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "redemptionNotValid": {
    "description": "`redemptionNotValid`: Unknown, used, expired, replaced, or of another shop.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "redemptionNotValid"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "redemptionNotValid-idempotencyKeyReused": {
    "description": "`redemptionNotValid`: Unknown, used, expired, replaced, or of another shop. · `idempotencyKeyReused`: The key was used for another request.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "redemptionNotValid",
            "idempotencyKeyReused"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "suspended": {
    "description": "`suspended`: The operator has suspended the shop, or its owner has left the service.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 403
          },
          "code": {
           "enum": [
            "suspended"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "tooLarge": {
    "description": "`tooLarge`: The body is larger than 64 KiB, or a picture than 8 MiB.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 413
          },
          "code": {
           "enum": [
            "tooLarge"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "unauthenticated": {
    "description": "`unauthenticated`: Not signed in, or no longer.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     },
     "WWW-Authenticate": {
      "$ref": "#/components/headers/WWW-Authenticate"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 401
          },
          "code": {
           "enum": [
            "unauthenticated"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "unauthenticated-tokenExpired": {
    "description": "`unauthenticated`: Not signed in, or no longer. · `tokenExpired`: The access token has expired; refresh it.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     },
     "WWW-Authenticate": {
      "$ref": "#/components/headers/WWW-Authenticate"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 401
          },
          "code": {
           "enum": [
            "unauthenticated",
            "tokenExpired"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "unsupportedMediaType": {
    "description": "`unsupportedMediaType`: The body is not JSON in UTF-8, or not a picture that is known.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 415
          },
          "code": {
           "enum": [
            "unsupportedMediaType"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "verificationNotValid-idempotencyKeyReused": {
    "description": "`verificationNotValid`: The code or the password is wrong. · `idempotencyKeyReused`: The key was used for another request.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 422
          },
          "code": {
           "enum": [
            "verificationNotValid",
            "idempotencyKeyReused"
           ]
          }
         }
        }
       ]
      }
     }
    }
   },
   "versionConflict": {
    "description": "`versionConflict`: It was changed since it was read.",
    "headers": {
     "X-Request-ID": {
      "$ref": "#/components/headers/X-Request-ID"
     }
    },
    "content": {
     "application/problem+json": {
      "schema": {
       "allOf": [
        {
         "$ref": "#/components/schemas/Problem"
        },
        {
         "properties": {
          "status": {
           "const": 412
          },
          "code": {
           "enum": [
            "versionConflict"
           ]
          }
         }
        }
       ]
      }
     }
    }
   }
  }
 }
}

"""#
}
